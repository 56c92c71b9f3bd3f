"""Keepers on this machine: each a process of its own session that outlives the engine."""

import contextlib
import subprocess
import sys
from pathlib import Path

import engine
from engine.errors import EngineError
from engine.running import attempts, store
from engine.running.job import Job

_ROOT = str(Path(engine.__file__).resolve().parents[1])
# -I and -S: nothing of the user's set-up, no site-packages; a keeper needs the standard library only.
_CODE = (
    f"import sys; sys.path.insert(0, {_ROOT!r}); "
    "from engine.running.keeper import main; sys.exit(main(sys.argv[1:]))"
)
KEEPER_ARGV = (sys.executable, "-I", "-S", "-c", _CODE)


class LocalExecutor:
    """Starts keepers as child processes; their deaths are noticed, their lives are their own."""

    scratch_base: Path | None = None

    def __init__(self) -> None:
        self._children: dict[Path, subprocess.Popen[bytes]] = {}

    def start(self, job: Job, attempt: Path) -> None:
        """Start the keeper of an attempt.

        Parameters
        ----------
        job : Job
            The job, handed over on standard input: no file and no argument names a record.
        attempt : pathlib.Path
            The attempt.

        Raises
        ------
        EngineError
            When the attempt's folder cannot be written, or this machine starts no process any more.
        """
        try:
            with (attempt / "worker.log").open("ab") as log:
                keeper = subprocess.Popen(
                    KEEPER_ARGV,
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    env={"LC_ALL": "C.UTF-8"},
                    start_new_session=True,
                )
        except OSError as error:
            raise EngineError(store.disk_sentence(attempt, error)) from error
        self._children[attempt] = keeper
        assert keeper.stdin is not None
        # A keeper that is dead already is found so at the next look.
        with contextlib.suppress(BrokenPipeError), keeper.stdin:
            keeper.stdin.write(job.dump())

    def alive(self, attempt: Path) -> bool:
        """Tell whether an attempt still has its keeper.

        Parameters
        ----------
        attempt : pathlib.Path
            The attempt.

        Returns
        -------
        bool
            False once the keeper is gone.
        """
        child = self._children.get(attempt)
        if child is not None:
            return child.poll() is None
        return attempts.kept(attempt)

    def stop(self, attempt: Path) -> None:
        """Ask an attempt's keeper to end its run.

        Parameters
        ----------
        attempt : pathlib.Path
            The attempt.
        """
        child = self._children.get(attempt)
        if child is not None and child.poll() is None:
            child.terminate()
        else:
            attempts.stop_keeper(attempt)

    def forget(self, attempt: Path) -> None:
        """Collect an ended keeper.

        Parameters
        ----------
        attempt : pathlib.Path
            The attempt.
        """
        child = self._children.pop(attempt, None)
        if child is not None:
            child.wait()

"""Reading campaigns: the one door for the console, the scorers and the exporters. Nothing is written."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.running import checkpoints as grid
from engine.running import layout, records, run_state, segments, spec_file, store
from engine.running.records import Checkpoint, Evaluation, Incumbent, Run, RunKey, Sample
from engine.running.spec import CampaignSpec

# How often a follower looks for new attempts at runs that had ended.
_RETRY_LOOK_S = 5.0


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as it stands: its spec and one `Run` per planned or recorded cell, in the grid's order."""

    folder: Path
    spec: CampaignSpec
    runs: tuple[Run, ...]

    def run(self, word: str) -> Run:
        """Find a run.

        Parameters
        ----------
        word : str
            ``LABEL/TASK/SEED[-CONDITION]``, where TASK is an id or a unique task name.

        Returns
        -------
        Run
            The run.

        Raises
        ------
        EngineError
            When there is none, or more than one.
        """
        found = self.select([word])
        if len(found) > 1:
            raise EngineError(f"{word!r} means {len(found)} runs: {', '.join(run.id for run in found[:5])}")
        return found[0]

    def select(self, words: Sequence[str]) -> tuple[Run, ...]:
        """Find the runs that words name.

        Parameters
        ----------
        words : sequence of str
            Run ids or beginnings of them (``LABEL``, ``LABEL/TASK``); TASK may be an id or a name. No
            word at all selects every run.

        Returns
        -------
        tuple of Run
            In the grid's order, each once.

        Raises
        ------
        EngineError
            When a word names no run.
        """
        if not words:
            return self.runs
        chosen: set[RunKey] = set()
        for word in words:
            parts = word.strip("/").split("/")
            matched = [run.key for run in self.runs if _matches(run, parts)]
            if not matched:
                raise EngineError(f"{self.folder} has no run {word!r}: see arena-tui status {self.folder}")
            chosen.update(matched)
        return tuple(run for run in self.runs if run.key in chosen)


def _matches(run: Run, parts: list[str]) -> bool:
    own = ((run.label,), (run.task, run.name), (run.key.cell,))
    return len(parts) <= len(own) and all(part in names for part, names in zip(parts, own, strict=False))


class Follower:
    """Follows a campaign cheaply: ended runs are read once, live ones from where the last look left off."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._spec_stamp: tuple[int, int] | None = None
        self._spec: CampaignSpec | None = None
        self._order: dict[RunKey, Run] = {}
        self._ended: dict[RunKey, Run] = {}
        self._live: dict[RunKey, run_state.LiveRun] = {}
        self._packed: dict[tuple[RunKey, int], segments.Packed] = {}
        self._packed_numbers: dict[RunKey, list[int]] = {}
        self._packed_stamp: int | None = None
        self._looked_for_retries = 0.0

    def refresh(self) -> Campaign:
        """Read what is new.

        Returns
        -------
        Campaign
            The campaign as it stands now.

        Raises
        ------
        EngineError
            When the folder is no campaign or its spec is broken.
        """
        spec = self._read_spec()
        self._read_segments()
        now = time.monotonic()
        look_for_retries = now - self._looked_for_retries >= _RETRY_LOOK_S
        if look_for_retries:
            self._looked_for_retries = now
            self._find_extra_runs(spec)
        runs = tuple(
            self._look(key, base, look_for_retries=look_for_retries) for key, base in self._order.items()
        )
        return Campaign(self.folder, spec, runs)

    def _read_spec(self) -> CampaignSpec:
        path = self.folder / layout.SPEC
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
        except OSError:
            stamp = None
        if self._spec is None or stamp != self._spec_stamp:
            self._spec = spec_file.read(self.folder)
            self._spec_stamp = stamp
            names = self._spec.task_names
            extra = self._order
            self._order = {key: run_state.planned(self._spec, key, names) for key in self._spec.grid()}
            self._order |= {key: base for key, base in extra.items() if key not in self._order}
        return self._spec

    def _read_segments(self) -> None:
        try:
            stamp = (self.folder / layout.SEGMENTS).stat().st_mtime_ns
        except OSError:
            return
        if stamp != self._packed_stamp:
            self._packed = segments.read_results(self.folder)
            self._packed_numbers = {}
            for key, number in self._packed:
                self._packed_numbers.setdefault(key, []).append(number)
            self._packed_stamp = stamp
            # Ended runs may have moved into the segment that just appeared.
            self._ended.clear()

    def _find_extra_runs(self, spec: CampaignSpec) -> None:
        # Runs outside the grid: a merge copied them, or the spec was cut by hand. They are shown, not lost.
        labels, names = set(spec.labels), spec.task_names
        root = self.folder / layout.RUNS
        for label in _folders(root):
            for task in _folders(root / label) if label in labels else ():
                for cell in _folders(root / label / task):
                    key = layout.key_of_cell(label, task, cell)
                    if key is not None and key not in self._order:
                        self._order[key] = run_state.planned(spec, key, names)

    def _look(self, key: RunKey, base: Run, *, look_for_retries: bool) -> Run:
        done = self._ended.get(key)
        if done is not None and not look_for_retries:
            return done
        # A segment stands for its runs even where their folders were left behind.
        numbers = sorted({*attempts(self.folder, key), *self._packed_numbers.get(key, ())})
        if not numbers:
            return base
        latest = numbers[-1]
        if done is not None and done.attempt == latest:
            return done
        folder = layout.attempt_folder(self.folder, key, latest)
        packed = self._packed.get((key, latest))
        if packed is not None:
            run = run_state.ended(base, packed.result, folder, len(numbers), packed.segment)
        else:
            live = self._live.get(key)
            if live is None or live.folder != folder:
                live = self._live[key] = run_state.LiveRun(base, folder, latest, len(numbers))
            run = live.look()
        if run.ended:
            self._ended[key] = run
            self._live.pop(key, None)
        return run


def _folders(path: Path) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []


def attempts(campaign: Path, key: RunKey) -> tuple[int, ...]:
    """List the attempts at a run.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    key : RunKey
        The run.

    Returns
    -------
    tuple of int
        Attempt numbers, ascending.
    """
    numbers = (layout.attempt_number(name) for name in _folders(layout.run_folder(campaign, key)))
    return tuple(sorted(number for number in numbers if number is not None))


def read_campaign(folder: Path | str) -> Campaign:
    """Read a campaign once. Trajectories are not touched: ask for a run's with `checkpoints`.

    Parameters
    ----------
    folder : pathlib.Path or str
        The campaign folder.

    Returns
    -------
    Campaign
        Its spec and runs.

    Raises
    ------
    EngineError
        When the folder is no campaign or its spec is broken.
    """
    return Follower(folder).refresh()


def lines(run: Run, log: str) -> store.Lines:
    """Read one log of a run's latest attempt, live or packed.

    Parameters
    ----------
    run : Run
        The run.
    log : str
        ``incumbents.jsonl``, ``evaluations.jsonl`` or ``telemetry.jsonl``.

    Returns
    -------
    Lines
        Its records and where it is damaged.
    """
    if run.folder is None:
        return store.Lines((), 0, ())
    if run.segment is not None:
        return store.split_lines(segments.read_log(run.segment, run.id, run.attempt, log))
    return store.read_lines(run.folder / log, ended=run.ended)


def incumbents(run: Run) -> tuple[Incumbent, ...]:
    """Read a run's incumbents.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    tuple of Incumbent
        In order of discovery.
    """
    return grid.incumbents_of(lines(run, layout.INCUMBENTS).records)


def evaluations(run: Run) -> Mapping[int, Evaluation]:
    """Read the evaluations of a run's incumbents.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    mapping of int to Evaluation
        By incumbent index.
    """
    return {
        record["index"]: grid.evaluation_of(record)
        for record in lines(run, layout.EVALUATIONS).records
        if isinstance(record.get("index"), int)
    }


def telemetry(run: Run) -> tuple[Sample, ...]:
    """Read a run's telemetry.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    tuple of Sample
        In order of time.
    """
    return tuple(
        Sample(
            t=float(record.get("t") or 0.0),
            cpu_s=float(record.get("cpu_s") or 0.0),
            rss=int(record.get("rss") or 0),
            processes=int(record.get("processes") or 0),
            threads=int(record.get("threads") or 0),
        )
        for record in lines(run, layout.TELEMETRY).records
    )


def checkpoints(run: Run, interval: float | None = None) -> tuple[Checkpoint, ...]:
    """Lay a run's incumbents on its grid.

    Parameters
    ----------
    run : Run
        The run; a live one has the points behind it, an ended one all of them.
    interval : float, optional
        Seconds; the campaign's own when omitted.

    Returns
    -------
    tuple of Checkpoint
        Point k is at k intervals after the fit began.
    """
    if run.status == records.PLANNED:
        return ()
    record = lines(run, layout.INCUMBENTS)
    found = grid.incumbents_of(record.records)
    lost = grid.lost_after(record)
    if run.ended and len(found) < run.incumbents:
        lost |= {len(found) - 1}
    return grid.join(
        found,
        evaluations(run),
        budget=run.budget,
        interval=interval or run.interval,
        until=None if run.ended else (run.elapsed or 0.0),
        lost_after=lost,
    )


def log_tail(run: Run, size: int = 16_384) -> str:
    """Read the end of a run's ``worker.log``.

    Parameters
    ----------
    run : Run
        The run.
    size : int
        Bytes at most.

    Returns
    -------
    str
        Whole lines; empty when there is no log.
    """
    if run.folder is None:
        return ""
    try:
        with (run.folder / layout.WORKER_LOG).open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - size))
            content = file.read()
    except OSError:
        return ""
    if end > size:
        content = content.partition(b"\n")[2]
    return content.decode("utf-8", errors="replace")


def is_campaign(folder: Path | str) -> bool:
    """Tell whether a folder holds a campaign.

    Parameters
    ----------
    folder : pathlib.Path or str
        Any path.

    Returns
    -------
    bool
        True when it has a spec file.
    """
    return (Path(folder) / layout.SPEC).is_file()


def tasks_of(campaign: Campaign) -> Mapping[str, str]:
    """Name the tasks of a campaign.

    Parameters
    ----------
    campaign : Campaign
        The campaign.

    Returns
    -------
    mapping of str to str
        Task names by id.
    """
    return campaign.spec.task_names

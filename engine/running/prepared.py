"""The engine's side of `engine.running.preparing`: tasks laid out as plain arrays, once each."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.running import liveness, store
from engine.running.evaluation_pool import child_environment
from engine.running.preparing import FACTS
from tasks.errors import TaskError
from tasks.locations import cache_folder


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A task as the engine needs it: facts, and where its arrays lie."""

    id: str
    name: str
    features: tuple[str, ...]
    target: str
    noise_key: str
    descriptions: Mapping[str, Any]
    folder: Path

    def train(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Load the training split.

        Returns
        -------
        X : ndarray, shape (n, d)
            Inputs.
        y : ndarray, shape (n,)
            Clean labels.
        """
        return np.load(self.folder / "train-X.npy", mmap_mode="r"), np.load(self.folder / "train-y.npy")


class Preparer:
    """Lays tasks out when they are first asked for, in a child process.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign.
    """

    def __init__(self, campaign: Path) -> None:
        self._campaign = campaign
        self._folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._done: dict[str, PreparedTask] = {}

    async def prepare(self, identifier: str) -> PreparedTask:
        """Lay a task out, or find it laid out.

        Parameters
        ----------
        identifier : str
            Task id.

        Returns
        -------
        PreparedTask
            Facts and arrays.

        Raises
        ------
        TaskError
            When its rows cannot be made or read.
        EngineError
            When this machine keeps them from being laid out: a full disk, say.
        """
        async with self._lock:
            if identifier not in self._done:
                await self._ask(identifier)
                self._done[identifier] = self._read(identifier)
            return self._done[identifier]

    async def _ask(self, identifier: str) -> None:
        line = b""
        # A process that was ended from outside is replaced once; what ends two of them is the task itself.
        for _ in range(2):
            process = self._process
            if process is None or process.returncode is not None:
                process = await self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            with contextlib.suppress(ConnectionError):
                process.stdin.write(identifier.encode() + b"\n")
                line = await process.stdout.readline()
            if line:
                break
            await process.wait()
        answer = json.loads(line) if line else {"ok": False, "reason": "the preparing process died twice"}
        if not answer["ok"]:
            sentence = f"task {identifier} cannot be prepared: {answer['reason']}"
            raise EngineError(sentence) if answer.get("machine") else TaskError(sentence)

    async def _start(self) -> asyncio.subprocess.Process:
        if self._folder is None:
            try:
                self._folder = _own_folder()
            except OSError as error:
                raise EngineError(store.disk_sentence(cache_folder(), error)) from error
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "engine.running.preparing",
            str(self._folder),
            str(self._campaign.absolute()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=child_environment(),
            start_new_session=True,
        )
        return self._process

    def _read(self, identifier: str) -> PreparedTask:
        assert self._folder is not None
        folder = self._folder / identifier
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        return PreparedTask(
            id=facts["id"],
            name=facts["name"],
            features=tuple(facts["features"]),
            target=facts["target"],
            noise_key=facts["noise_key"],
            descriptions=facts["descriptions"],
            folder=folder,
        )

    async def close(self) -> None:
        """End the process and remove the arrays."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _own_folder() -> Path:
    """Make this engine's folder for arrays, and remove those of engines that were killed."""
    base = cache_folder() / "evaluation"
    base.mkdir(parents=True, exist_ok=True)
    for other in base.iterdir():
        owner, _, started = other.name.partition("-")
        if owner.isdigit() and liveness.start_time(int(owner)) != started.partition("-")[0]:
            shutil.rmtree(other, ignore_errors=True)
    pid = os.getpid()
    return Path(tempfile.mkdtemp(prefix=f"{pid}-{liveness.start_time(pid)}-", dir=base))

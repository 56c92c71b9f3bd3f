"""Evaluates expressions in child processes that can be killed, never in the event loop."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from engine.errors import EngineError

TIME_LIMIT_S = 10.0
MEMORY_LIMIT_BYTES = 4 * 2**30
START_LIMIT_S = 60.0
# How many processes one expression, or one start, may cost; and how long a process that has closed its
# output may take to be gone.
PROCESSES = 3
DYING_S = 1.0
# A line of an answer holds three spellings of one expression of at most 60 kB.
_LINE_LIMIT = 1 << 20


def child_environment() -> dict[str, str]:
    """Build the environment of the engine's own children: the user's, one thread, a fixed hash seed.

    Returns
    -------
    dict
        Environment variables.
    """
    threads = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
    return {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in threads}, "PYTHONHASHSEED": "0"}


class _Evaluator:
    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        how = ""
        # A process may be ended from outside (by hand, or by the kernel for another's hunger for memory):
        # what ends a fresh one as well is the expression's own doing.
        for _ in range(PROCESSES):
            process = await self._started()
            try:
                line = await asyncio.wait_for(_answer(process, request), TIME_LIMIT_S)
            except TimeoutError:
                await self.close()
                return {"status": "timeout", "reason": f"evaluation took more than {TIME_LIMIT_S:g} s"}
            if line:
                answer: dict[str, Any] = json.loads(line)
                return answer
            how = await self.close(DYING_S)
        return {"status": "timeout", "reason": f"evaluation ended its process ({how})"}

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        how = ""
        for _ in range(PROCESSES):
            process = self._process = await _start()
            assert process.stdout is not None
            try:
                if await asyncio.wait_for(process.stdout.readline(), START_LIMIT_S):
                    return process
            except TimeoutError as error:
                await self.close()
                raise EngineError(
                    f"the evaluating process has not started within {START_LIMIT_S:g} s: "
                    "this machine is too busy; resume later"
                ) from error
            how = await self.close(DYING_S)
        raise EngineError(f"the evaluating process ended in its start-up ({how}): see to it, then resume")

    async def close(self, patience_s: float = 0.0) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        if patience_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), patience_s)
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        code = await process.wait()
        return f"signal {-code}" if code < 0 else f"exit {code}"


async def _start() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "engine.running.evaluating",
        str(MEMORY_LIMIT_BYTES),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=child_environment(),
        limit=_LINE_LIMIT,
        # A Ctrl-C in the terminal is the engine's to handle, not its children's.
        start_new_session=True,
    )


async def _answer(process: asyncio.subprocess.Process, request: Mapping[str, Any]) -> bytes:
    """Put one question; no answer at all when the process is gone or says more than a line may hold."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        return await process.stdout.readline()
    except (ConnectionError, ValueError):
        return b""


class EvaluationPool:
    """A few evaluator processes, started when first needed, replaced when they hang or die.

    Parameters
    ----------
    size : int
        How many.
    """

    def __init__(self, size: int) -> None:
        self._evaluators = [_Evaluator() for _ in range(size)]
        self._free: asyncio.LifoQueue[_Evaluator] = asyncio.LifoQueue()
        for evaluator in reversed(self._evaluators):
            self._free.put_nowait(evaluator)

    async def evaluate(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Evaluate one expression.

        Parameters
        ----------
        request : mapping
            See `engine.running.evaluating.assess`.

        Returns
        -------
        dict
            Its answer; ``timeout`` when the process had to be ended.
        """
        evaluator = await self._free.get()
        try:
            return await evaluator.ask(request)
        finally:
            self._free.put_nowait(evaluator)

    async def close(self) -> None:
        """End the processes."""
        await asyncio.gather(*(evaluator.close() for evaluator in self._evaluators))

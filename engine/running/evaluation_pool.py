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
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            line = await asyncio.wait_for(process.stdout.readline(), TIME_LIMIT_S)
        except TimeoutError:
            await self.close()
            return {"status": "timeout", "reason": f"evaluation took more than {TIME_LIMIT_S:g} s"}
        except (ConnectionError, ValueError):
            line = b""
        if not line:
            await self.close()
            code = process.returncode or 0
            how = f"signal {-code}" if code < 0 else f"exit {code}"
            return {"status": "timeout", "reason": f"evaluation ended its process ({how})"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
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
            assert self._process.stdout is not None
            try:
                await asyncio.wait_for(self._process.stdout.readline(), START_LIMIT_S)
            except TimeoutError as error:
                await self.close()
                raise EngineError(
                    f"the evaluating process has not started within {START_LIMIT_S:g} s: "
                    "this machine is too busy; resume later"
                ) from error
        return self._process

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


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

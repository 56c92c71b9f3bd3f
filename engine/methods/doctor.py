"""Whether each method could start now: every one probed in a process of its own, without any network.

Importing a compiled method can abort Python or never return, so nothing is imported here: a dying import is
a line of the answer.
"""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from engine.errors import EngineError
from engine.methods import bundle, registry
from engine.methods.environments import Launch, launch, state
from engine.methods.registry import Method

# Four stubs of which one hangs have to be answered within 15 s (log of users' reports, entry 29).
PROBE_LIMIT_S = 10.0
# A large package on a busy machine may need longer; it is given that while it uses the processor.
BUSY_LIMIT_S = 60.0
BUSY_LOOK_S = 1.0
# The least CPU time that shows: a sleeper uses none, a starved import some.
CLOCK_TICK_S = 0.01
PROBES_AT_ONCE = 4
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB", "NUMBA", "JULIA")
_PROBE = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    module = importlib.import_module(name)
print("arena-ready", sys.version.split()[0])
"""
_MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_MISSING_LIBRARY = re.compile(r"([\w.+-]+\.so[.\d]*): cannot open shared object file")
_MISSING_SYMBOL = re.compile(r"version [`']([\w.]+)' not found")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a probe found.

    Attributes
    ----------
    method, status : str
        Name; ready, not installed, interrupted, outdated, broken, julia missing, weights missing, missing
        library, crashed, failed or not answering.
    detail : str
        One sentence: what was seen and what to do; the interpreter's version where all is well.
    """

    method: str
    status: str
    detail: str

    @property
    def ready(self) -> bool:
        """Whether a run could start."""
        return self.status == "ready"


def examine(names: Sequence[str] = ()) -> tuple[Diagnosis, ...]:
    """Probe methods, a few at a time.

    Parameters
    ----------
    names : sequence of str
        Which; every method when empty.

    Returns
    -------
    tuple of Diagnosis
        In the order of `names`; of everything, plugins that cannot even be read come last.
    """
    methods = [registry.get(name) for name in names or registry.names()]
    broken = {} if names else registry.broken_plugins()
    with ThreadPoolExecutor(PROBES_AT_ONCE) as probes:
        found = tuple(probes.map(examine_one, methods))
    return found + tuple(Diagnosis(name, "broken", why) for name, why in broken.items())


def examine_one(method: Method) -> Diagnosis:
    """Probe one method in a process of its own."""
    condition = state(method)
    if not condition.usable:
        return Diagnosis(method.name, condition.status, condition.detail)
    try:
        started = launch(method)
        root = str(bundle.build(method))
    except EngineError as error:
        return Diagnosis(method.name, "broken", str(error))
    return probe(method.name, started, root, (method.wrapper.partition(":")[0], *method.probe))


def probe(name: str, started: Launch, root: str, modules: Sequence[str]) -> Diagnosis:
    """Import `modules` the way a worker would, and say in one sentence what came of it."""
    argv = [*started.argv[:-1], "-c", _PROBE, root, *modules]
    env = started.env | {f"{library}_NUM_THREADS": "1" for library in _ONE_THREAD}
    try:
        process = subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return Diagnosis(name, "broken", f"{argv[0]} cannot be started: {error.strerror}")
    output = _waited_for(process)
    if output is None:
        detail = f"importing {name} did not end within {PROBE_LIMIT_S:.0f} s"
        return Diagnosis(name, "not answering", detail)
    return _judged(name, process.returncode, output)


def _waited_for(process: subprocess.Popen[str]) -> str | None:
    """Return what the probe printed, None when it had to be ended."""
    began = time.monotonic()
    limit, used = PROBE_LIMIT_S, 0.0
    while True:
        try:
            return process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            now_used = _cpu_seconds(process.pid)
            busy = now_used - used >= CLOCK_TICK_S
            if not busy or time.monotonic() - began > BUSY_LIMIT_S:
                _end(process)
                return None
            limit, used = BUSY_LOOK_S, now_used


def _cpu_seconds(pid: int) -> float:
    import psutil

    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _judged(name: str, code: int, output: str) -> Diagnosis:
    if code == 0 and "arena-ready" in output:
        version = output.rsplit("arena-ready", maxsplit=1)[1].strip()
        return Diagnosis(name, "ready", f"Python {version}")
    if code < 0:
        text = f"importing {name} ended the interpreter with signal {-code} ({signal.Signals(-code).name})"
        return Diagnosis(name, f"crashed (signal {-code})", text)
    for pattern in (_MISSING_LIBRARY, _MISSING_SYMBOL, _MISSING_MODULE):
        found = pattern.search(output)
        if found:
            detail = f"{name} needs {found.group(1)}, which is missing; run: arena-tui methods install {name}"
            return Diagnosis(name, f"missing library ({found.group(1)})", detail)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return Diagnosis(name, "failed", lines[-1][:300] if lines else f"the probe ended with exit code {code}")


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

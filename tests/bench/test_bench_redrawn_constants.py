"""How much BANK's rates hang on the draw of the constants that LSR-Synth does not publish.

Run with: pytest -m slow tests/bench/test_bench_redrawn_constants.py -s. ARENA_BENCH_DRAWS sets how many other
draws are searched (1 by default, about a minute of CPU time each), ARENA_BENCH_LIBRARY the library.
"""

import dataclasses
import os
import signal
from concurrent.futures import ProcessPoolExecutor

import pytest

from engine.reachability.arms import run_unit
from engine.reachability.greedy import Limits
from engine.reachability.libraries import expand
from engine.reachability.library_files import load
from tasks import catalogue
from tasks.errors import TaskError
from tasks.generators import drawn_constants, lsr_synth
from tasks.materialize import splits

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]
MEASURES = ("acc0.01", "acc0.001", "strict")
DRAWN = "drawn"
# A draw whose equation cannot be integrated in this CPU time is left out, and counted.
PATIENCE_S = 4.0


def redrawn(task, draw):
    """The same structure with constants drawn from the same ranges under another seed."""
    structure, names = task.recipe["structure"], [constant.name for constant in task.constants]
    grid, initial = tuple(task.recipe["grid"]), tuple(task.recipe["initial"])
    values = drawn_constants.draw(f"{task.id}:draw{draw}", structure, names, task.subgroup, grid, initial)
    return dataclasses.replace(task, formula=drawn_constants.substitute(structure, values))


def too_slow(_number, _frame):
    raise TimeoutError


def searched(job):
    """Flags of one task, with the catalogue's constants for draw 0; None where it could not be integrated."""
    identifier, draw, library = job
    task = catalogue.get(identifier)
    if draw == 0:
        rows = splits(task)
    else:
        signal.signal(signal.SIGVTALRM, too_slow)
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
        try:
            task = redrawn(task, draw)
            rows = lsr_synth.generate(task)
        except (TimeoutError, TaskError):
            return None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    bank = expand(load(library), len(task.features))
    unit = run_unit("bank", task, rows, 0, bank, None, Limits())
    return tuple(bool(unit[name]) for name in MEASURES)


def test_rates_over_other_draws_of_the_constants(arena_home):
    library = os.environ.get("ARENA_BENCH_LIBRARY", "srbench-pysr")
    draws = int(os.environ.get("ARENA_BENCH_DRAWS", "1"))
    tasks = [
        task for task in catalogue.full() if task.recipe.get("structure") and task.family == "llm-srbench"
    ]
    drawn = [task.id for task in tasks if task.provenance.constants == DRAWN]
    assert len(drawn) == 63
    with ProcessPoolExecutor(2) as pool:
        for draw in range(draws + 1):
            found = [
                one for one in pool.map(searched, [(i, draw, library) for i in drawn]) if one is not None
            ]
            assert len(found) > len(drawn) // 2
            rates = [100 * sum(one[place] for one in found) / len(found) for place in range(len(MEASURES))]
            shown = " / ".join(f"{rate:.1f}" for rate in rates)
            name = f"draw {draw}" if draw else "the catalogue's draw"
            print(f"\n{library}, seed 0, {name}, {len(found)} of {len(drawn)} tasks: {shown} %")

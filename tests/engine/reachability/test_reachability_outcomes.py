import math

import pytest

from engine.reachability.outcomes import Outcomes, clustered_interval, sign_test
from engine.reachability.records import PLAN, UnitKey, read, unit_file, write
from engine.reachability.report import latex, report, write_files


def unit(task, seed, arm, solved, status="ok"):
    return {
        "schema": 1, "task": task, "name": task.upper(), "domain": "d1" if task < "t05" else "d2",
        "seed": seed,
        "arm": arm, "status": status, "acc0.01": solved, "acc0.001": solved, "strict": solved,
        "representable": "representable" if solved else "different", "reason": "0 of 14 usable",
        "truth_constants": "published", "proposals": None,
    }  # fmt: skip


def plan(arms, tasks=10, seeds=4):
    names = [f"t{place:02d}" for place in range(tasks)]
    return {
        "arms": arms,
        "seeds": list(range(seeds)),
        "tasks": [
            {"id": name, "name": name.upper(), "domain": "d1" if name < "t05" else "d2"} for name in names
        ],
        "library": {"title": "BANK-X"},
    }


def study(bank, union, arms=("bank", "union-l1")):
    made = plan(list(arms))
    cells = [(task["id"], seed) for seed in made["seeds"] for task in made["tasks"]]
    units = [unit(*cell, arms[0], solved) for cell, solved in zip(cells, bank, strict=True)]
    units += [unit(*cell, arms[1], solved) for cell, solved in zip(cells, union, strict=True)]
    return Outcomes(units, made)


@pytest.mark.parametrize(
    ("gained", "lost", "p"), [(5, 1, 14 / 64), (12, 12, 1.0), (0, 0, None), (4, 0, 0.125)]
)
def test_ties_never_make_a_p_value(gained, lost, p):
    bank = [False] * gained + [True] * lost + [True] * (40 - gained - lost)
    union = [True] * gained + [False] * lost + [True] * (40 - gained - lost)
    gain = study(bank, union).gain("union-l1", "bank", "acc0.01")
    assert (gain.net, gain.wins, gain.losses, gain.ties) == (gained - lost, gained, lost, 40 - gained - lost)
    assert gain.p == (None if p is None else pytest.approx(p))


def test_the_sign_test_is_symmetric_and_exact():
    assert sign_test(1, 5) == sign_test(5, 1) == pytest.approx(0.21875)
    assert sign_test(7, 0) == pytest.approx(2 / 2**7)
    assert math.isclose(sign_test(50, 50), 1.0)


def test_cells_missing_in_one_arm_are_left_out_of_both():
    made = plan(["bank", "union-l1"])
    units = [unit("t00", 0, "bank", False), unit("t00", 0, "union-l1", True), unit("t01", 0, "bank", True)]
    gain = Outcomes(units, made).gain("union-l1", "bank", "acc0.01")
    assert (gain.net, gain.left_out) == (1, 39)
    assert Outcomes(units, made).rate("union-l1", "acc0.01").cells == 1


def test_union_without_candidates_is_bank_by_default_and_no_gain():
    made = plan(["bank", "llm-l1", "union-l1"], tasks=2, seeds=1)
    units = [
        unit("t00", 0, "bank", True),
        unit("t01", 0, "bank", False),
        unit("t00", 0, "llm-l1", None, "no candidates"),
        unit("t01", 0, "llm-l1", False),
        unit("t00", 0, "union-l1", None, "no candidates"),
        unit("t01", 0, "union-l1", True),
    ]
    found = Outcomes(units, made)
    assert found.success("union-l1", ("t00", 0), "acc0.01") is True
    assert found.success("llm-l1", ("t00", 0), "acc0.01") is False
    gain = found.gain("union-l1", "bank", "acc0.01")
    assert (gain.net, gain.left_out) == (1, 1)
    assert found.rate("union-l1", "acc0.01").defaulted == 1


def test_rates_are_means_and_population_deviations_over_seeds():
    made = plan(["bank"], tasks=2, seeds=2)
    units = [
        unit("t00", 0, "bank", True),
        unit("t01", 0, "bank", True),
        unit("t00", 1, "bank", True),
        unit("t01", 1, "bank", False),
    ]
    rate = Outcomes(units, made).rate("bank", "strict")
    assert (rate.mean, rate.sd) == (0.75, 0.25)


def test_retention_counts_union_within_cells():
    made = plan(["bank", "llm-l1", "union-l1"], tasks=4, seeds=1)
    pattern = {"t00": (1, 1, 1), "t01": (1, 0, 0), "t02": (0, 1, 1), "t03": (0, 0, 1)}
    units = [
        unit(task, 0, arm, bool(value))
        for task, values in pattern.items()
        for arm, value in zip(made["arms"], values, strict=True)
    ]
    kept = Outcomes(units, made).retention("l1", "acc0.01")
    assert kept == {
        (True, True): (1, 1),
        (True, False): (0, 1),
        (False, True): (1, 1),
        (False, False): (1, 1),
    }


def test_the_interval_keeps_a_tasks_seeds_together():
    # Two tasks, each constant over its seeds: resampling seeds apart would give a narrower interval.
    assert clustered_interval([[100.0] * 4, [0.0] * 4]) == (0.0, 100.0)
    assert clustered_interval([[5.0], [5.0]]) == (5.0, 5.0)
    assert clustered_interval([[1.0, 2.0], [3.0, 9.0], [0.0, 4.0]], seed=3) == clustered_interval(
        [[1.0, 2.0], [3.0, 9.0], [0.0, 4.0]], seed=3
    )


def test_a_report_is_made_of_what_is_on_disk(tmp_path):
    made = plan(["bank", "llm-l1", "union-l1"], tasks=2, seeds=1)
    write(tmp_path / PLAN, {"schema": 1, **made})
    for arm in ("bank", "union-l1"):
        for task in ("t00", "t01"):
            write(unit_file(tmp_path, UnitKey(task, 0, arm)), unit(task, 0, arm, task == "t00"))
    shown = report(tmp_path)
    rates = next(table for table in shown.tables if table.key == "rates")
    assert rates.rows[0][:2] == ("BANK", "50.00 ± 0.00")
    assert rates.rows[1][1] == "not run"
    assert any("LLM-L1: 2 of 2 cells not run" in note for note in shown.notes)
    files = write_files(shown, tmp_path / "tables")
    assert {path.suffix for path in files} == {".parquet", ".tex"}
    assert "\\pm" in latex(rates)


def test_a_damaged_unit_counts_as_unfinished(tmp_path):
    path = unit_file(tmp_path, UnitKey("t00", 0, "bank"))
    write(path, unit("t00", 0, "bank", True))
    path.write_text(path.read_text()[:40])
    assert read(path) is None

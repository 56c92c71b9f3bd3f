from engine.reachability.arms import run_unit
from engine.reachability.branches import branch, named, together
from engine.reachability.greedy import Limits
from engine.reachability.libraries import POLY
from engine.reachability.outcomes import Outcomes
from engine.reachability.report import domains
from tasks.catalogue import get
from tasks.materialize import splits


def unit(*path, atoms=()):
    taken = [{"added": text, "nmse": 0.1, "tried": 5, "constant": 0.5} for text in path]
    return {"status": "ok", "path": taken, "terms": [], "proposals": {"atoms": list(atoms)}}


def test_paths_part_where_the_candidates_differ_not_where_they_are_spelled_otherwise():
    names = ("t", "P")
    bank = branch("bank", unit("x0*x1", "x1**2", "x0**2"), names, POLY)
    llm = branch("llm-l1", unit("x1*x0", "x1**a"), names, POLY)
    union = branch("union-l1", unit("x0*x1", "x1**2", "x1**a"), names, POLY)
    none = branch("llm-l2", None, names, POLY)
    paths = (bank, llm, union, none)
    assert together(paths, 1) == (("bank", "llm-l1", "union-l1"),)
    assert together(paths, 2) == (("bank", "union-l1"), ("llm-l1",))
    assert together(paths, 3) == (("bank",), ("union-l1",))


def test_a_choice_says_whether_the_library_or_the_proposals_list_it():
    one = branch(
        "union-l1", unit("x1**2", "x1**a", "x0*x1**a", atoms=["x1**a", "x1**2", "x0"]), ("t", "P"), POLY
    )
    assert [(choice.in_library, choice.proposed) for choice in one.choices] == [
        (True, True), (False, True), (False, True),
    ]  # fmt: skip
    assert [choice.text for choice in one.choices] == ["P**2", "P**a", "t*P**a"]


def test_an_atom_keeps_its_own_spelling_where_a_variable_is_called_like_the_constant():
    assert named("exp(-a*x0)", ("t", "P")) == "exp(-a*t)"
    assert named("exp(-a*x0)", ("a", "P")) == "exp(-a*x0)"


def test_every_round_keeps_the_constant_it_was_chosen_with(arena_home):
    task = get("BPG10")
    record = run_unit(
        "bank", task, splits(task), 0, ("x1**a", "x0**2"), None, Limits(rows=60, rounds=2, starts=3)
    )
    first = record["path"][0]
    assert first["added"] == "x1**a"
    assert 0.0 < first["constant"] < 1.0
    assert record["first_nmse"] > first["nmse"]


def test_domains_end_with_a_total_and_say_what_union_adds():
    plan = {
        "arms": ["bank", "union-l1"],
        "seeds": [0, 1],
        "tasks": [{"id": "t0", "name": "T0", "domain": "one"}, {"id": "t1", "name": "T1", "domain": "two"}],
    }
    units = [
        {"task": task, "seed": seed, "arm": arm, "status": "ok", "strict": arm == "union-l1" or task == "t0"}
        for task in ("t0", "t1")
        for seed in (0, 1)
        for arm in plan["arms"]
    ]
    table = domains(Outcomes(units, plan), "strict")
    assert table.heads == ("domain", "N", "BANK", "UNION-L1", "delta L1")
    assert table.rows == (("one", 1, 1.0, 1.0, 0.0), ("two", 1, 0.0, 1.0, 1.0), ("total", 2, 1.0, 2.0, 1.0))

import numpy as np
import pandas as pd
import pytest

from engine.distilling.facts import read_facts
from engine.distilling.pool import build_pool
from engine.distilling.records import load_responses, read_records
from engine.distilling.responses import from_frame
from engine.distilling.tables import write_table
from engine.errors import EngineError
from tests.engine.distilling.distilling_pools import facts, response_frame


@pytest.mark.parametrize("ending", ["tsv", "csv", "parquet"])
def test_a_responses_table_reads_back_as_it_was_written(tmp_path, ending):
    ours = from_frame(response_frame(9), "test")
    path = tmp_path / f"responses.{ending}"
    write_table(ours.frame(), path)
    back = load_responses(path)
    assert (back.tasks, back.probes) == (ours.tasks, ours.probes)
    np.testing.assert_array_equal(back.id_median, ours.id_median)
    np.testing.assert_array_equal(back.valid, ours.valid)


def test_numbers_that_were_stored_as_text_are_numbers_all_the_same():
    frame = response_frame(6)
    text = from_frame(frame.astype(str), "test")
    np.testing.assert_array_equal(text.id_median, from_frame(frame, "test").id_median)
    np.testing.assert_array_equal(text.valid, from_frame(frame, "test").valid)


def broken(change):
    frame = response_frame(6)
    return change(frame)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f.drop(index=5), "lacks 1 of 24 responses, the first of probe beta on task t0001"),
        (lambda f: pd.concat([f, f.iloc[[3]]]), "duplicate rows, the first for task t0000 and probe delta"),
        (
            lambda f: f.assign(median_log_id_nmse=f.median_log_id_nmse.where(f.index != 7)),
            "median_log_id_nmse of task t0001, probe delta is missing although",
        ),
        (lambda f: f.assign(valid_seeds=5), "has 5 valid of 3 scheduled seeds"),
        (lambda f: f.drop(columns="iqr_log_id_nmse"), "lacks the column iqr_log_id_nmse"),
        (lambda f: f.iloc[:0], "has no rows"),
        (lambda f: f.assign(valid_seeds=f.valid_seeds.where(f.index != 2)), "is no whole number: "),
        (lambda f: f.assign(timeout_seeds=0.5), "timeout_seeds of task t0000 is no whole number: 0.5"),
        (
            lambda f: f.assign(
                median_log_id_nmse=f.median_log_id_nmse.astype(object).where(f.index != 2, "low")
            ),
            "is not a number: 'low'",
        ),
    ],
)
def test_tables_with_holes_are_refused_in_one_sentence(change, sentence):
    with pytest.raises(EngineError, match=sentence) as caught:
        from_frame(broken(change), "given.tsv")
    assert "\n" not in str(caught.value)


def test_runs_are_summarized_over_valid_seeds(tmp_path):
    runs = pd.DataFrame(
        {
            "task_id": ["t1"] * 3 + ["t2"] * 3,
            "method": ["m"] * 6,
            "seed": [1, 2, 3] * 2,
            "id_nmse": [1e-2, 1e-4, 1e-6, np.nan, np.inf, 1.0],
            "ood_nmse": [1.0, 1.0, 1e-20, 1.0, 1.0, np.nan],
        }
    )
    write_table(runs, tmp_path / "runs.tsv")
    found = load_responses(tmp_path / "runs.tsv")
    assert found.valid.tolist() == [[3], [0]]
    assert found.id_median[0, 0] == pytest.approx(-4)
    assert found.id_iqr[0, 0] == pytest.approx(2)
    assert found.ood_median[0, 0] == 0
    assert np.isnan(found.id_median[1, 0])
    runs.loc[1, "seed"] = 1
    write_table(runs, tmp_path / "twice.tsv")
    with pytest.raises(EngineError, match="task t1, method m, seed 1 twice"):
        read_records(tmp_path / "twice.tsv")


def test_a_campaign_gives_responses_when_it_has_ended(monkeypatch, tmp_path):
    from engine.running import reader
    from engine.running.records import Run, RunKey

    def run(label, task, seed, status, value):
        key = RunKey(label, task, seed)
        return Run(key, label, task, status, 1, 1, None, 1.0, 1.0, 1, id_nmse=value, ood_nmse=value)

    runs = [run(m, t, s, "timeout", 10.0**-s) for m in "ab" for t in ("g1", "g2") for s in (1, 2, 3)]
    runs[0] = run("a", "g1", 1, "crashed", None)
    campaign = reader.Campaign(tmp_path, None, tuple(runs))
    monkeypatch.setattr(reader, "read_campaign", lambda folder: campaign)
    found = load_responses(tmp_path)
    assert found.probes == ("a", "b")
    assert found.valid.tolist() == [[2, 3], [3, 3]]
    assert found.timeouts.tolist() == [[2, 3], [3, 3]]
    assert found.id_median[1, 1] == pytest.approx(-2)
    runs[1] = run("a", "g1", 2, "running", None)
    campaign = reader.Campaign(tmp_path, None, tuple(runs))
    with pytest.raises(EngineError, match="has 1 of 12 runs unfinished, the first a/g1/2"):
        load_responses(tmp_path)


def test_a_task_without_any_valid_response_is_named_and_never_selected():
    frame = response_frame(8)
    frame.loc[frame.task_id == "t0003", "valid_seeds"] = 0
    pool = build_pool(facts(8), from_frame(frame, "test"), "computed")
    assert pool.notes == ("1 task has no valid response of any probe and cannot be selected: t0003",)
    assert pool.usable.tolist() == [k != 3 for k in range(8)]


def test_unknown_and_doubled_tasks_are_named():
    responses = from_frame(response_frame(8), "test")
    with pytest.raises(EngineError, match="1 tasks with responses are not known, the first t0007"):
        build_pool(facts(7), responses, "computed")
    with pytest.raises(EngineError, match="task t0000 occurs twice"):
        build_pool((*facts(8), facts(1)[0]), responses, "computed")
    with pytest.raises(EngineError, match="no published labels; use computed labels"):
        build_pool(facts(8), responses, "published")


def test_duplicates_are_found_where_the_table_states_none(tmp_path):
    formulas = ["x0*x1", "x1*x0", "a*b", "x0 + x1", "sin(x0)", "exp(x0)", "x0 +", "x0 +"]
    table = pd.DataFrame(
        {
            "task_id": [f"t{k}" for k in range(1, 9)],
            "name": "n",
            "family": "f",
            "subgroup": "s",
            "n_features": 2,
            "formula": formulas,
            "data_sha256": ["", "", "", "same", "same", "", "", ""],
        }
    )
    write_table(table.sample(frac=1, random_state=2), tmp_path / "facts.tsv")
    known = {fact.id: fact.duplicate_group for fact in read_facts(tmp_path / "facts.tsv")}
    assert known == {
        "t1": "t1",
        "t2": "t1",
        "t3": "t1",
        "t4": "t4",
        "t5": "t4",
        "t6": "t6",
        "t7": "t7",
        "t8": "t8",
    }


def test_words_where_numbers_belong_are_named(tmp_path):
    columns = {"task_id": ["t1"], "name": ["n"], "family": ["f"], "subgroup": ["s"], "n_features": ["two"]}
    write_table(pd.DataFrame(columns), tmp_path / "facts.tsv")
    with pytest.raises(EngineError, match="n_features in row 1 is no whole number: 'two'"):
        read_facts(tmp_path / "facts.tsv")
    runs = {"task_id": ["t1"], "method": ["m"], "seed": [1.5], "id_nmse": [1.0], "ood_nmse": [1.0]}
    write_table(pd.DataFrame(runs), tmp_path / "runs.tsv")
    with pytest.raises(EngineError, match="seed in row 1 is no whole number"):
        read_records(tmp_path / "runs.tsv")


def test_the_published_task_list_reads_as_facts(published):
    known = read_facts(published("reference/full664.tsv"))
    assert len(known) == 664
    assert len({fact.duplicate_group for fact in known}) == 458

"""The worker's protocol: what it writes for a method that behaves, and for one that does not."""

import json
from pathlib import Path

import numpy as np
import pytest

from adapters.interface import Clock, Equation
from adapters.record import LINE_LIMIT, Record
from engine.expression import evaluate, parse


def test_a_run_is_told_line_by_line(plugins, run_worker, table):
    ran = run_worker("polyfit", *table)
    assert ran.code == 0
    names = [line["event"] for line in ran.lines]
    assert names[0] == "fit-began"
    assert names[-3:] == ["final", "total", "fit-ended"]
    assert set(names[1:-3]) == {"incumbent"}
    times = [line["t"] for line in ran.lines[:-2]]
    assert times == sorted(times)
    final = ran.events("final")[0]
    values = evaluate(parse(final["text"], ["x0", "x1"], "infix"), table[0])
    np.testing.assert_allclose(values, table[1], atol=1e-9)
    native = np.load(ran.scratch / final["train_predictions"], allow_pickle=False)
    np.testing.assert_allclose(native, values, atol=1e-9)


def test_an_unchanged_incumbent_is_not_written_again_and_a_nan_score_is_null(plugins, run_worker, table):
    ran = run_worker("unruly", *table)
    texts = [line["text"] for line in ran.events("incumbent")]
    assert texts == ["x0", "x0*x1 + x0"]
    assert ran.events("incumbent")[1]["score"] is None


@pytest.mark.parametrize(
    ("vice", "code", "stage", "kind"),
    [
        ("raise", 3, "fit", "ValueError"),
        ("exit", 3, "fit", "SystemExit"),
        ("import", 4, "import", "ImportError"),
    ],
)
def test_a_failure_has_its_exit_code_and_its_line(plugins, run_worker, table, vice, code, stage, kind):
    ran = run_worker("unruly", *table, settings={"vice": vice})
    assert ran.code == code
    assert ran.lines[-1]["event"] == "failed"
    assert (ran.lines[-1]["stage"], ran.lines[-1]["type"]) == (stage, kind)
    assert "Traceback" in ran.log


def test_what_was_found_before_a_failure_is_kept(plugins, run_worker, table):
    ran = run_worker("unruly", *table, settings={"vice": "raise"})
    assert [line["text"] for line in ran.events("incumbent")] == ["x0"]


def test_a_broken_predictor_costs_the_audit_and_not_the_run(plugins, run_worker, table):
    ran = run_worker("unruly", *table, settings={"vice": "predictor"})
    assert ran.code == 0
    assert ran.events("final")[0]["train_predictions"] is None


def test_a_method_without_any_expression_writes_no_final_line(plugins, run_worker, table):
    ran = run_worker("unruly", *table, settings={"vice": "nothing"})
    assert ran.code == 0
    assert not ran.events("final")
    assert ran.lines[-1]["event"] == "fit-ended"


def test_a_long_front_is_cut_to_one_line_and_counted(plugins, run_worker, table):
    ran = run_worker("unruly", *table, settings={"vice": "many"})
    total = ran.events("total")[0]
    assert total["count"] == 5000
    assert 0 < len(total["total"]) < 5000
    assert len(json.dumps(total)) < LINE_LIMIT


def test_a_text_too_long_for_a_line_is_shortened_and_measured(tmp_path):
    file = tmp_path / "record"
    with file.open("wb") as stream:
        record = Record(stream.fileno(), Clock())
        record.incumbent(Equation("x0+" * 50_000, "n" * 100_000, 1.0, "loss"))
    line = file.read_bytes()
    assert len(line) < LINE_LIMIT
    assert json.loads(line)["characters"] == 150_000


def test_a_full_disk_is_an_error_and_not_silence(tmp_path):
    with Path("/dev/full").open("wb", buffering=0) as stream, pytest.raises(OSError):
        Record(stream.fileno(), Clock()).write("fit-began")


def test_the_scratch_folder_is_all_a_worker_is_told(plugins, run_worker, table):
    ran = run_worker("polyfit", *table)
    left = {file.name for file in ran.scratch.iterdir()}
    assert left == {"request.json", "train.npz", "native"}

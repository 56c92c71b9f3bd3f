import pytest

from engine.errors import EngineError
from engine.judging.records import Records, intransitive, key_of
from engine.judging.verdict import Verdict, Witness, read_verdict

EQUAL = Verdict("equivalent", "symbolic", "the difference simplifies to zero")
OTHER = Verdict("different", "witness", "the values differ", Witness({"x0": 1.0}, "2.0", "3.0"))
DEPENDENCIES = {"judge": "deterministic", "version": 1, "a": "x0", "b": "x0 + 0", "features": ["x0"]}


def test_a_verdict_survives_its_record():
    assert read_verdict(OTHER.record()) == OTHER


def test_records_are_found_by_everything_they_depend_on(tmp_path):
    Records(tmp_path).freeze("verdicts", DEPENDENCIES, EQUAL.record())
    again = Records(tmp_path)
    assert again.verdict(DEPENDENCIES) == EQUAL
    assert again.verdict({**DEPENDENCIES, "version": 2}) is None
    assert again.verdict({**DEPENDENCIES, "b": "x0+0"}) is None


def test_what_is_frozen_stays(tmp_path):
    records = Records(tmp_path)
    records.freeze("verdicts", DEPENDENCIES, EQUAL.record())
    before = (tmp_path / "judgments" / "verdicts.jsonl").read_bytes()
    records.freeze("verdicts", DEPENDENCIES, OTHER.record())
    assert records.verdict(DEPENDENCIES) == EQUAL
    assert (tmp_path / "judgments" / "verdicts.jsonl").read_bytes() == before


def test_a_correction_is_linked_and_leaves_the_original(tmp_path):
    records = Records(tmp_path)
    frozen = records.freeze("verdicts", DEPENDENCIES, EQUAL.record())
    before = (tmp_path / "judgments" / "verdicts.jsonl").read_bytes()
    records.correct(frozen.key, OTHER, reason="audit of pairs", by="reviewer")
    again = Records(tmp_path)
    assert again.verdict(DEPENDENCIES) == OTHER
    assert again.get("verdicts", DEPENDENCIES).corrected
    assert (tmp_path / "judgments" / "verdicts.jsonl").read_bytes() == before
    with pytest.raises(EngineError, match="no frozen verdict"):
        records.correct("0" * 64, OTHER, reason="", by="")


def test_damaged_lines_are_passed_over(tmp_path):
    Records(tmp_path).freeze("verdicts", DEPENDENCIES, EQUAL.record())
    file = tmp_path / "judgments" / "verdicts.jsonl"
    file.write_bytes(b'{"key": 3}\n' + file.read_bytes() + b'{"key": "ab')
    records = Records(tmp_path)
    assert records.verdict(DEPENDENCIES) == EQUAL
    records.freeze("verdicts", {**DEPENDENCIES, "version": 2}, OTHER.record())
    assert len(list(Records(tmp_path).all("verdicts"))) == 2


def test_keys_do_not_depend_on_order():
    assert key_of({"a": 1, "b": [1, 2]}) == key_of({"b": [1, 2], "a": 1})


def test_contradicting_pairs_are_listed():
    same, other = Verdict("same_structure", "model", ""), Verdict("different", "model", "")
    assert intransitive({(0, 1): same, (1, 2): same, (0, 2): other}, 3) == [(0, 1, 2)]
    assert intransitive({(0, 1): same, (1, 2): same, (0, 2): same}, 3) == []
    assert intransitive({(0, 1): same, (1, 2): other, (0, 2): other}, 3) == []

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
from models_wire_server import BatchBook, chat, failure, message, serving, stream

from engine.errors import EngineError
from engine.judging.claude import claude_judge
from engine.judging.judges import Question
from engine.judging.records import Records
from engine.judging.votes import VOTES, parameterized, poll
from engine.models.caps import Caps, Ledger
from engine.models.client import Client
from engine.models.journal import Journal, lines
from engine.models.request import Endpoint
from engine.scoring.processing import Expression, Postprocessing

F = ("x0", "x1")
TRUTH = "sin(x0) + 123.25*x1"
EQUAL = Question("equivalence", "sin(x0) + 123.25*x1 + 0*x0", TRUTH, F)
PAIR = Question("structure", "2.5*x0", "3.5*x0", F)
UNCAPPED = Caps()


def verdict(word):
    return json.dumps({"verdict": word, "justification": "because"})


def simplified(outcome, expression=None):
    return json.dumps({"outcome": outcome, "expression": expression, "justification": "because"})


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")


def stages(tmp_path):
    return Postprocessing(Records(tmp_path), lambda stage, done, total: None)


def test_pairs_are_judged_with_evidence_attached_and_frozen(tmp_path):
    with serving([stream(verdict("equivalent"))]) as (url, seen):
        judge, _ = claude_judge(tmp_path, UNCAPPED, base_url=url, batched=False)
        found = stages(tmp_path).verdicts([EQUAL], judge)[EQUAL]
    assert (found.verdict, found.evidence) == ("equivalent", "model")
    prompt = seen[0].body["messages"][0]["content"]
    assert f"Reference: {TRUTH}" in prompt
    assert "Diagnostic evidence: equal normal forms" in prompt
    assert len(seen[0].body["messages"]) == 1
    with serving([failure(500, "api_error")]) as (url, seen):
        judge, _ = claude_judge(tmp_path, UNCAPPED, base_url=url, batched=False)
        assert stages(tmp_path).verdicts([EQUAL], judge)[EQUAL] == found
    assert seen == []


def test_a_positive_judgment_against_a_witness_is_flagged(tmp_path):
    with serving([stream(verdict("equivalent"))]) as (url, _):
        judge, _ = claude_judge(tmp_path, UNCAPPED, base_url=url, batched=False)
        found = stages(tmp_path).verdicts([PAIR], judge)[PAIR]
    assert found.verdict == "equivalent"
    assert "found a witness against it" in found.detail
    assert found.witness is not None


def test_seed_pairs_and_simplifications_never_hold_the_truth(tmp_path):
    answers = [stream(verdict("same_structure")), stream(simplified("unchanged"))]
    with serving(answers) as (url, seen):
        judge, simplifier = claude_judge(tmp_path, UNCAPPED, base_url=url, batched=False)
        work = stages(tmp_path)
        assert work.verdicts([PAIR], judge)[PAIR].consistent
        work.simplified([Expression("2.5*x0", F, ())], simplifier)
    for request in seen:
        assert "123.25" not in json.dumps(request.body)


@pytest.mark.parametrize(
    ("answer", "status", "text", "reason"),
    [
        (stream(simplified("simplified", "2*x0")), "simplified", "2*x0", "equivalent"),
        (stream(simplified("simplified", "3*x0")), "unable", "x0 + x0", "differs"),
        (stream(simplified("simplified", "2*x1")), "unable", "x0 + x0", "variables of its own"),
        (stream(simplified("simplified", "2*import")), "unable", "x0 + x0", "cannot be read"),
        (stream(simplified("unable")), "unable", "x0 + x0", "because"),
        (stream(simplified("unchanged")), "unchanged", "x0 + x0", None),
        (stream("", stop="refusal", explanation="no"), "unable", "x0 + x0", "refused"),
        (stream(simplified("simplified", "2*x0")[:20], stop="max_tokens"), "unable", "x0 + x0", "truncated"),
    ],
)
def test_a_simplification_is_taken_only_if_it_holds(tmp_path, answer, status, text, reason):
    original = Expression("x0 + x0", F, ())
    with serving([answer]) as (url, _):
        _, simplifier = claude_judge(tmp_path, UNCAPPED, base_url=url, batched=False)
        found = stages(tmp_path).simplified([original], simplifier)[original]
    assert (found.status, found.text) == (status, text)
    assert (found.reason is None) if reason is None else (reason in found.reason)


def test_useless_answers_leave_a_pair_undetermined(tmp_path):
    with serving([stream('{"verdict": "maybe", "justification": ""}')]) as (url, _):
        judge, _ = claude_judge(tmp_path, UNCAPPED, base_url=url, batched=False)
        found = stages(tmp_path).verdicts([EQUAL], judge)[EQUAL]
    assert found.verdict == "undetermined"
    assert "schema violation" in found.detail


def test_a_campaign_is_judged_in_batches_and_resumed_after_a_cap(tmp_path):
    questions = [Question("structure", f"{k}.5*x0", f"{k}.25*x0", F) for k in range(1, 5)]
    book = BatchBook(lambda n, r: [{"type": "succeeded", "message": message(verdict("same_structure"))}])
    with serving(batches=book) as (url, _):
        judge, _ = claude_judge(tmp_path, Caps(calls=3), base_url=url)
        with pytest.raises(EngineError, match="cap of 3 model calls"):
            stages(tmp_path).verdicts(questions, judge)
        assert stages(tmp_path).verdicts(questions[:2], judge)
        judge, _ = claude_judge(tmp_path, Caps(calls=4), base_url=url)
        found = stages(tmp_path).verdicts(questions, judge)
    assert all(v.consistent for v in found.values())
    assert [len(requests) for requests in book.batches.values()] == [2, 2]
    attempts = [
        line for line in lines(tmp_path / "judgments" / "model_calls.jsonl") if line["event"] == "attempt"
    ]
    assert len(attempts) == 4
    assert all(re.fullmatch(r"[0-9a-f]{64}", line["response_sha256"]) for line in attempts)


def test_another_model_or_prompt_does_not_reuse_a_judgment(tmp_path):
    first, _ = claude_judge(tmp_path, UNCAPPED, base_url="http://127.0.0.1:9")
    second, _ = claude_judge(tmp_path, UNCAPPED, model="claude-opus-5-5", base_url="http://127.0.0.1:9")
    assert first.dependencies(PAIR) != second.dependencies(PAIR)
    assert first.dependencies(PAIR)["prompt_sha256"] == second.dependencies(PAIR)["prompt_sha256"]


def test_fitted_constants_are_freed_and_whole_exponents_stay():
    assert parameterized("2.5*x0**2 + exp(-0.3*x1) - x0**1.7", F) == "c0*x0**2 + exp(-c1*x1) - x0**c2"


def voter(tmp_path, url, kind="openai"):
    base = url if kind == "claude" else f"{url}/v1"
    endpoint = Endpoint(kind, "claude-opus-5" if kind == "claude" else "gpt-oss-120b", base)
    return Client(endpoint, Ledger(UNCAPPED, None), Journal(tmp_path / "votes.jsonl"), sleep=lambda s: None)


YES = 'The constants can be matched.\n{"reasoning": "c0 = 1", "answer": "Yes"}'
NO = '{"reasoning": "no sine", "answer": "No"}'


def test_only_ten_times_yes_is_correct(tmp_path):
    with serving([chat(YES)]) as (url, seen):
        found = poll(voter(tmp_path, url), TRUTH, "1.0*sin(x0) + 123.2*x1", F)
    assert (found.correct, found.label, len(seen)) == (True, "unanimous yes", VOTES)
    assert all(request.body["temperature"] == 0.7 for request in seen)
    assert "c0*sin(x0) + c1*x1" in seen[0].body["messages"][0]["content"]
    assert len([line for line in lines(tmp_path / "votes.jsonl") if line["response"] == YES]) == 10


def test_mixed_and_unusable_votes_score_nothing(tmp_path):
    with serving([chat(NO), chat(YES)]) as (url, _):
        mixed = poll(voter(tmp_path, url), TRUTH, "1.5*x0", F)
    assert (mixed.correct, mixed.label) == (False, "mixed")
    with serving([chat("I cannot say.")]) as (url, _):
        unusable = poll(voter(tmp_path, url), TRUTH, "1.5*x0", F)
    assert (unusable.correct, unusable.label) == (False, "unusable")
    assert poll(voter(tmp_path, "http://127.0.0.1:9"), TRUTH, "x0 +", F).votes == ()


def test_claude_votes_without_a_temperature(tmp_path):
    with serving([stream(NO)]) as (url, seen):
        found = poll(voter(tmp_path, url, "claude"), TRUTH, "1.5*x0", F)
    assert found.label == "unanimous no"
    assert "temperature" not in seen[0].body
    assert found.replies[0].not_applied == ("temperature",)

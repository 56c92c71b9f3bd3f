import json

import pytest
from models_wire_server import chat, failure, reply, serving, stream

from engine.errors import EngineError
from engine.models.caps import CapReachedError, Caps, Ledger, spent_before
from engine.models.client import Client
from engine.models.journal import Journal, lines
from engine.models.request import Endpoint, Message, Request

UNCAPPED = Caps()

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["equivalent", "different"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
GOOD = json.dumps({"verdict": "equivalent"})
ASK = Request(
    (Message("user", "Are x and x+0 equal?"),), 65536, schema=SCHEMA, effort="xhigh", temperature=0.6
)


@pytest.fixture
def claude(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-test")

    def make(url, caps=UNCAPPED, waits=None):
        endpoint = Endpoint("claude", "claude-opus-5", url)
        journal = Journal(tmp_path / "calls.jsonl")
        waited = [] if waits is None else waits
        return Client(endpoint, Ledger(caps, endpoint.price), journal, sleep=waited.append)

    make.journal = tmp_path / "calls.jsonl"
    return make


@pytest.fixture
def chatter(tmp_path):
    def make(url, caps=UNCAPPED, prices=None):
        endpoint = Endpoint("openai", "llama-3.1-8b", f"{url}/v1", prices=prices)
        return Client(endpoint, Ledger(caps, prices), Journal(tmp_path / "chat.jsonl"), sleep=lambda s: None)

    make.journal = tmp_path / "chat.jsonl"
    return make


def test_a_claude_request_is_streamed_with_the_papers_settings(claude):
    with serving([stream(GOOD)]) as (url, seen):
        answer = claude(url).complete(ASK, purpose="equivalence")
    assert (answer.status, answer.content) == ("ok", {"verdict": "equivalent"})
    assert answer.not_applied == ("temperature",)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (120, 40)
    assert answer.cost == pytest.approx((120 * 5 + 40 * 25) / 1e6)
    body = seen[0].body
    assert seen[0].path == "/v1/messages"
    assert body["stream"] is True
    assert body["max_tokens"] == 65536
    assert body["thinking"] == {"type": "adaptive"}
    assert body["output_config"]["effort"] == "xhigh"
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}
    assert not {"temperature", "top_p", "top_k"} & body.keys()


def test_every_attempt_is_kept_and_no_key_with_it(claude):
    with serving([stream('{"verdict": "equi'), stream(GOOD)]) as (url, _):
        answer = claude(url).complete(ASK, purpose="equivalence")
    assert (answer.status, answer.attempts) == ("ok", 2)
    kept = list(lines(claude.journal))
    assert [line["status"] for line in kept] == ["invalid json", "ok"]
    assert kept[0]["response"] == '{"verdict": "equi'
    assert kept[0]["request_sha256"] == kept[1]["request_sha256"] == answer.request_sha256
    assert kept[1]["not_applied"] == ["temperature"]
    assert "sk-secret" not in claude.journal.read_text()


@pytest.mark.parametrize(
    ("first", "waited"),
    [
        (failure(429, "rate_limit_error", retry_after=7), [7.0]),
        (failure(529, "overloaded_error"), [1.0]),
        (failure(500, "api_error"), [1.0]),
        (stream(GOOD, cut=True), [1.0]),
        (stream(GOOD, error="overloaded_error"), [1.0]),
    ],
)
def test_passing_failures_are_waited_out(claude, first, waited):
    waits = []
    with serving([first, stream(GOOD)]) as (url, seen):
        answer = claude(url, waits=waits).complete(ASK)
    assert (answer.status, answer.attempts, len(seen)) == ("ok", 2, 2)
    assert waits == waited


def test_backoff_doubles_and_ends(claude):
    waits = []
    with serving([failure(529, "overloaded_error")]) as (url, seen):
        answer = claude(url, waits=waits).complete(ASK)
    assert answer.status == "failed"
    assert "529" in answer.reason
    assert len(seen) == 6
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_a_bad_request_is_not_repeated(claude):
    with serving([failure(400, "invalid_request_error")]) as (url, seen):
        assert claude(url).complete(ASK).status == "failed"
    assert len(seen) == 1


def test_a_refused_key_is_one_sentence(claude):
    with (
        serving([failure(401, "authentication_error")]) as (url, _),
        pytest.raises(EngineError, match="check the key"),
    ):
        claude(url).complete(ASK)


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (stream("", stop="refusal", explanation="not for me"), "refused", "not for me"),
        (stream(GOOD[:12], stop="max_tokens"), "truncated", "cut off at 40"),
        (stream('{"verdict": "maybe"}'), "schema violation", "not one of equivalent, different"),
        (stream('{"verdict": "different", "why": 1}'), "schema violation", "extra field 'why'"),
        (stream("I think so"), "invalid json", "not JSON"),
    ],
)
def test_useless_answers_have_a_status_and_a_reason(claude, answer, status, words):
    with serving([answer]) as (url, seen):
        outcome = claude(url).complete(ASK)
    assert outcome.status == status
    assert words in outcome.reason
    assert len(seen) == (1 if status == "refused" else 2)


def test_a_cost_cap_stops_before_the_call(claude):
    with serving([stream(GOOD)]) as (url, seen):
        client = claude(url, Caps(cost=1.0))
        with pytest.raises(CapReachedError, match=r"cap of \$1.00 leaves no room for a call of up to \$1.64"):
            client.complete(ASK)
    assert seen == []


def test_a_call_cap_is_hard_and_counts_answered_calls(claude):
    with serving([stream(GOOD)]) as (url, seen):
        client = claude(url, Caps(calls=2))
        client.complete(ASK)
        client.complete(ASK)
        with pytest.raises(CapReachedError):
            client.complete(ASK)
    assert len(seen) == 2
    spent = spent_before(lines(claude.journal))
    assert spent == client.ledger.spent
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (2, 240, 80)


def test_chat_completions_carry_sampling_settings(chatter):
    request = Request(
        (Message("user", "def equation_v0"),),
        1024,
        system="Help.",
        temperature=0.6,
        top_p=0.3,
        top_k=30,
        seed=520,
    )
    with serving([chat("return x0")]) as (url, seen):
        answer = chatter(url).complete(request)
    assert (answer.status, answer.content, answer.not_applied) == ("ok", "return x0", ())
    body = seen[0].body
    assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
    assert (body["temperature"], body["top_p"], body["top_k"], body["seed"]) == (0.6, 0.3, 30, 520)
    assert answer.cost is None


def test_a_server_without_usage_is_estimated_and_marked(chatter):
    with serving([chat("return x0", usage=False)]) as (url, _):
        answer = chatter(url).complete(Request((Message("user", "u" * 300),), 100))
    assert answer.usage.estimated
    assert answer.usage.input_tokens == 101


def test_a_cost_cap_without_prices_is_refused(chatter):
    with pytest.raises(EngineError, match="needs the model's prices"):
        chatter("http://127.0.0.1:1", Caps(cost=1.0))


@pytest.mark.parametrize("nonsense", [{"object": "chat.completion", "choices": []}, ["not", "an", "object"]])
def test_foreign_bodies_are_failures_not_traces(chatter, nonsense):
    with serving([reply(nonsense)]) as (url, _):
        assert chatter(url).complete(Request((Message("user", "u"),), 10)).status == "failed"


def test_nobody_listening_is_a_failure(chatter):
    assert chatter("http://127.0.0.1:9").complete(Request((Message("user", "u"),), 10)).status == "failed"


def test_no_key_is_one_sentence(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(EngineError, match="set SOME_KEY"):
        Endpoint("openai", "m", "https://example.org/v1", key_variable="SOME_KEY").key()


def test_a_journal_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError, match="cannot be written"):
        Journal(tmp_path / "file" / "j.jsonl").append({"a": 1})


def test_a_cut_last_line_of_a_journal_is_skipped_and_does_not_swallow_the_next(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": ')
    Journal(path).append({"c": 3})
    assert list(lines(path)) == [{"a": 1}, {"c": 3}]

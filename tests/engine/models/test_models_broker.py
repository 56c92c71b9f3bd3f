import json
import urllib.error
import urllib.request

import openai
import pytest
from models_wire_server import chat, failure, serving, stream

from engine.models.broker import Broker
from engine.models.caps import Caps, Ledger
from engine.models.client import Client
from engine.models.journal import Journal, lines
from engine.models.request import Endpoint

UNCAPPED = Caps()

TURN = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "complete equation_v1"}]


@pytest.fixture
def lending(tmp_path, monkeypatch):
    """Yields a function that opens a broker on an upstream server."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-the-engines-own")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-engines-own")
    opened = []

    def make(url, kind="openai", caps=UNCAPPED):
        base = url if kind == "claude" else f"{url}/v1"
        endpoint = Endpoint(kind, "claude-opus-5" if kind == "claude" else "llama-3.1-8b", base)
        ledger = Ledger(caps, endpoint.price)
        client = Client(endpoint, ledger, Journal(tmp_path / "campaign.jsonl"), sleep=lambda s: None)
        opened.append(Broker(client))
        return opened[-1]

    yield make
    for broker in opened:
        broker.close()


def worker(lease):
    http = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(api_key=lease.token, base_url=lease.url, http_client=http)


def test_a_worker_is_answered_through_the_openai_sdk_without_a_key(lending, tmp_path):
    with serving([chat("return params[0]*x0")]) as (url, seen):
        broker = lending(url)
        lease = broker.lend("llm-sr/g0001/520", Caps(calls=5), tmp_path / "run.jsonl")
        answer = worker(lease).chat.completions.create(
            model="anything", messages=TURN, temperature=0.6, top_p=0.3, max_tokens=1024
        )
    assert answer.choices[0].message.content == "return params[0]*x0"
    assert answer.usage.completion_tokens == 9
    assert seen[0].headers["authorization"] == "Bearer sk-the-engines-own"
    assert (seen[0].body["temperature"], seen[0].body["top_p"], seen[0].body["max_tokens"]) == (
        0.6,
        0.3,
        1024,
    )
    logged = next(lines(tmp_path / "run.jsonl"))
    assert (logged["run"], logged["response"]) == ("llm-sr/g0001/520", "return params[0]*x0")
    everything = "".join(p.read_text() for p in tmp_path.glob("*.jsonl")) + json.dumps(lease.endpoint("m"))
    assert "sk-the-engines-own" not in everything
    assert lease.token not in "".join(p.read_text() for p in tmp_path.glob("*.jsonl"))


def test_claude_answers_a_worker_with_room_to_think(lending, tmp_path):
    with serving([stream("return x0")]) as (url, seen):
        lease = lending(url, "claude").lend("r", Caps(), tmp_path / "run.jsonl")
        answer = worker(lease).chat.completions.create(
            model="m", messages=TURN, temperature=0.6, max_tokens=1024, n=2
        )
    assert [choice.message.content for choice in answer.choices] == ["return x0"] * 2
    assert seen[0].body["max_tokens"] == 1024 + 4096
    assert seen[0].body["system"] == "Be brief."
    assert "temperature" not in seen[0].body
    assert next(lines(tmp_path / "run.jsonl"))["not_applied"] == ["temperature"]


def test_a_cap_is_final_and_not_retried(lending, tmp_path):
    with serving([chat("x0")]) as (url, seen):
        lease = lending(url).lend("r", Caps(calls=2), tmp_path / "run.jsonl")
        sdk = worker(lease)
        for _ in range(2):
            sdk.chat.completions.create(model="m", messages=TURN)
        with pytest.raises(openai.PermissionDeniedError, match="cap of 2 model calls"):
            sdk.chat.completions.create(model="m", messages=TURN)
    assert len(seen) == 2
    statuses = [line["status"] for line in lines(tmp_path / "run.jsonl")]
    assert statuses == ["ok", "ok", "refused by the broker"]


def test_runs_have_caps_of_their_own_under_the_campaigns(lending, tmp_path):
    with serving([chat("x0")]) as (url, seen):
        broker = lending(url, caps=Caps(calls=3))
        first, second = (broker.lend(f"r{k}", Caps(calls=2), tmp_path / f"r{k}.jsonl") for k in range(2))
        for lease in (first, first, second):
            worker(lease).chat.completions.create(model="m", messages=TURN)
        with pytest.raises(openai.PermissionDeniedError, match="campaign's own cap"):
            worker(second).chat.completions.create(model="m", messages=TURN)
        assert broker.revoke(first).calls == 2
    assert len(seen) == 3


def test_a_revoked_or_invented_token_opens_nothing(lending, tmp_path):
    with serving([chat("x0")]) as (url, seen):
        broker = lending(url)
        lease = broker.lend("r", Caps(), tmp_path / "run.jsonl")
        broker.revoke(lease)
        with pytest.raises(openai.AuthenticationError, match="opens nothing"):
            worker(lease).chat.completions.create(model="m", messages=TURN)
    assert seen == []


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"messages": []}',
        b'{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]}]}',
        b'{"messages": [{"role": "tool", "content": "x"}]}',
        b'{"messages": [{"role": "user", "content": "x"}], "temperature": NaN}',
        b'{"messages": [{"role": "user", "content": "x"}], "max_tokens": -5}',
        b'{"messages": [{"role": "user", "content": "x"}], "stop": {"a": 1}}',
        b'{"messages": [{"role": "user", "content": "x"}], "n": 1000}',
    ],
)
def test_bad_requests_are_refused_in_words(lending, tmp_path, body):
    with serving([chat("x0")]) as (url, seen):
        lease = lending(url).lend("r", Caps(), tmp_path / "run.jsonl")
        request = urllib.request.Request(
            f"{lease.url}/chat/completions", body, {"Authorization": f"Bearer {lease.token}"}
        )
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
    assert caught.value.code == 400
    assert json.loads(caught.value.read())["error"]["code"] == "bad_request"
    assert seen == []


def test_an_upstream_that_stays_down_is_a_server_error(lending, tmp_path):
    with serving([failure(529, "overloaded_error")]) as (url, _):
        lease = lending(url, "claude").lend("r", Caps(), tmp_path / "run.jsonl")
        with pytest.raises(openai.InternalServerError, match="529"):
            worker(lease).chat.completions.create(model="m", messages=TURN)


def test_streaming_and_the_list_of_models(lending, tmp_path):
    with serving([chat("return x0")]) as (url, _):
        lease = lending(url).lend("r", Caps(), tmp_path / "run.jsonl")
        chunks = list(worker(lease).chat.completions.create(model="m", messages=TURN, stream=True))
        assert [model.id for model in worker(lease).models.list()] == ["llama-3.1-8b"]
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == "return x0"
    assert chunks[-1].choices[0].finish_reason == "stop"

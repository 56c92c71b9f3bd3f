import pytest
from models_wire_server import BatchBook, message, serving

from engine.models.batches import Batches
from engine.models.caps import CapReachedError, Caps, Ledger
from engine.models.client import request_hash
from engine.models.journal import Journal, lines
from engine.models.request import Endpoint, Message, Request

UNCAPPED = Caps()


def ask(k):
    return Request((Message("user", f"question {k}"),), 65536, effort="xhigh")


def number(request):
    return int(request["params"]["messages"][0]["content"].split()[1])


def succeeded(text="yes", **words):
    return {"type": "succeeded", "message": message(text, **words)}


@pytest.fixture
def batcher(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")

    def make(url, caps=UNCAPPED):
        endpoint = Endpoint("claude", "claude-opus-5", url)
        ledger = Ledger(caps, endpoint.price)
        return Batches(endpoint, ledger, Journal(tmp_path / "batches.jsonl"), sleep=lambda s: None)

    make.journal = tmp_path / "batches.jsonl"
    return make


def answers(batches, replies, count):
    return [replies[request_hash(batches.endpoint, ask(k))] for k in range(count)]


def test_results_in_any_order_find_their_request_at_half_price(batcher):
    book = BatchBook(lambda n, r: [succeeded(f"answer {number(r)}")], polls=3)
    with serving(batches=book) as (url, _):
        batches = batcher(url)
        replies = batches.complete([ask(k) for k in range(5)])
    assert [r.text for r in answers(batches, replies, 5)] == [f"answer {k}" for k in range(5)]
    assert len(book.batches) == 1
    assert all(r.cost == pytest.approx((120 * 5 + 40 * 25) / 2e6) for r in replies.values())
    params = book.batches["msgbatch_01"][0]["params"]
    assert "stream" not in params
    assert params["thinking"] == {"type": "adaptive"}
    assert batches.ledger.spent.calls == 5


def test_duplicate_results_count_once_and_are_on_record(batcher):
    book = BatchBook(lambda n, r: [succeeded("first"), succeeded("second")])
    with serving(batches=book) as (url, _):
        batches = batcher(url)
        replies = batches.complete([ask(0), ask(0)])
    assert [r.text for r in replies.values()] == ["first"]
    assert batches.ledger.spent.calls == 1
    assert [line["event"] for line in lines(batcher.journal)] == [
        "submitted",
        "attempt",
        "duplicate",
        "collected",
    ]


def test_an_expired_batch_is_asked_again(batcher):
    def outcome(batch, request):
        return [{"type": "expired"}] if batch == 1 and number(request) > 0 else [succeeded()]

    book = BatchBook(outcome)
    with serving(batches=book) as (url, _):
        batches = batcher(url)
        replies = batches.complete([ask(k) for k in range(3)])
    assert [r.status for r in answers(batches, replies, 3)] == ["ok"] * 3
    assert [len(r) for r in book.batches.values()] == [3, 2]
    reasons = [line["reason"] for line in lines(batcher.journal) if line.get("status") == "failed"]
    assert reasons == ["the batch expired before this request was answered"] * 2


def test_what_never_gets_an_answer_fails_with_its_reason(batcher):
    def outcome(batch, request):
        error = {"type": "overloaded_error" if number(request) else "invalid_request_error", "message": "no"}
        return [{"type": "errored", "error": {"type": "error", "error": error, "request_id": "r"}}]

    book = BatchBook(outcome)
    with serving(batches=book) as (url, _):
        batches = batcher(url)
        first, second = answers(batches, batches.complete([ask(0), ask(1)]), 2)
    assert (first.status, second.status) == ("failed", "failed")
    assert "invalid_request_error" in first.reason
    assert [len(r) for r in book.batches.values()] == [2, 1, 1]


def test_a_request_without_result_fails(batcher):
    with serving(batches=BatchBook(lambda n, r: [])) as (url, _):
        reply = next(iter(batcher(url).complete([ask(0)]).values()))
    assert (reply.status, reply.reason) == ("failed", "no result after 3 batches")


def test_refusals_and_cut_answers_in_a_batch(batcher):
    def outcome(batch, request):
        if number(request) == 0:
            return [succeeded("", stop="refusal", explanation="no")]
        return [succeeded("half", stop="max_tokens") if batch < 3 else succeeded("whole")]

    with serving(batches=BatchBook(outcome)) as (url, _):
        batches = batcher(url)
        refused, whole = answers(batches, batches.complete([ask(0), ask(1)]), 2)
    assert refused.status == "refused"
    assert (whole.status, whole.attempts) == ("ok", 3)


def test_an_interrupted_campaign_collects_the_batch_it_submitted(batcher):
    book = BatchBook(lambda n, r: [succeeded(f"from batch {n}")])
    with serving(batches=book) as (url, _):
        first = batcher(url)
        first._submit({request_hash(first.endpoint, ask(0)): ask(0)}, "equivalence")
        replies = batcher(url).complete([ask(0)])
        assert [r.text for r in replies.values()] == ["from batch 1"]
        assert len(book.batches) == 1
        again = batcher(url).complete([ask(0)])
    assert [r.text for r in again.values()] == ["from batch 1"]
    assert len(book.batches) == 1


def test_a_cap_stops_before_a_batch_is_submitted(batcher):
    book = BatchBook(lambda n, r: [succeeded()])
    with serving(batches=book) as (url, _), pytest.raises(CapReachedError):
        batcher(url, Caps(cost=0.2)).complete([ask(k) for k in range(10)])
    assert book.batches == {}

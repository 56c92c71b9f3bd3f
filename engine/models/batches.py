"""Message Batches: submit, wait, collect and resume; each request counts once, whatever is repeated."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from engine.errors import EngineError
from engine.models.caps import CapReachedError, Ledger, Reservation
from engine.models.client import attempt_record, judge_answer, make_reply, request_hash
from engine.models.journal import Journal, lines
from engine.models.request import Answer, Endpoint, Reply, Request, Usage
from engine.models.wire import SendError, claude_answer, claude_parameters, claude_sdk, status_error

if TYPE_CHECKING:
    import anthropic

_T = TypeVar("_T")

# One custom_id may have 64 characters; a SHA-256 in hexadecimal is just that.
ROUNDS = 3
CHUNK = 1000
POLL_S = 30.0
POLL_FAILURES = 10
# Output that a judgment is expected to take, thinking included; the running mean replaces it.
EXPECTED_OUTPUT_TOKENS = 4000


class Batches:
    """Answers many requests through Anthropic's Message Batches API.

    Parameters
    ----------
    endpoint : Endpoint
        A Claude endpoint.
    ledger : Ledger
        Caps; a batch is submitted only if its expected cost fits.
    journal : Journal
        Receives ``submitted``, ``attempt``, ``duplicate`` and ``collected`` lines. A batch that is submitted
        and not collected there is waited for first: that is how an interrupted campaign resumes.
    sleep : callable, optional
        Waits between polls.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        ledger: Ledger,
        journal: Journal,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint = endpoint
        self.ledger = ledger
        self.journal = journal
        self._sleep = sleep
        self._sdk = claude_sdk(endpoint)
        self._expected = EXPECTED_OUTPUT_TOKENS
        self._held: dict[str, Reservation] = {}

    def complete(
        self, requests: Sequence[Request], *, purpose: str = "", rounds: int = ROUNDS
    ) -> dict[str, Reply]:
        """Answer requests; what expired, failed or came back useless is asked again in a later round.

        Parameters
        ----------
        requests : sequence of Request
            Equal requests are asked once.
        purpose : str
            A word for the journal.
        rounds : int
            How often a request may be submitted.

        Returns
        -------
        dict of str to Reply
            By request hash (`engine.models.client.request_hash`).

        Raises
        ------
        CapReachedError
            When a cap forbids the next batch; what was collected before is in the journal.
        """
        wanted = {request_hash(self.endpoint, request): request for request in requests}
        replies = self._answered(wanted)
        for batch in self._open_batches():
            self._collect(batch, wanted, replies, purpose, 1)
        for attempt in range(1, rounds + 1):
            open_keys = [key for key in wanted if key not in replies or _again(replies[key])]
            for start in range(0, len(open_keys), CHUNK):
                chunk = {key: wanted[key] for key in open_keys[start : start + CHUNK]}
                self._collect(self._submit(chunk, purpose), wanted, replies, purpose, attempt)
        for key, request in wanted.items():
            if key not in replies:
                reason = f"no result after {rounds} batches"
                replies[key] = make_reply(self.endpoint, "failed", key, request, rounds, None, None, reason)
        return replies

    def _open_batches(self) -> list[str]:
        submitted: dict[str, None] = {}
        for line in lines(self.journal.path):
            if line.get("event") == "submitted":
                submitted[str(line["batch"])] = None
            elif line.get("event") == "collected":
                submitted.pop(str(line["batch"]), None)
        return list(submitted)

    def _answered(self, wanted: Mapping[str, Request]) -> dict[str, Reply]:
        """Take up what an interrupted campaign has already paid for."""
        replies: dict[str, Reply] = {}
        for line in lines(self.journal.path):
            key = str(line.get("request_sha256"))
            if line.get("event") != "attempt" or line.get("status") != "ok" or key not in wanted:
                continue
            answer = Answer(
                line["response"],
                line["stop"],
                Usage(line["input_tokens"], line["output_tokens"]),
                line["answered_by"],
            )
            status, content, reason = judge_answer(answer, wanted[key])
            replies.setdefault(
                key,
                make_reply(self.endpoint, status, key, wanted[key], 0, answer, content, reason, batch=True),
            )
        return replies

    def _submit(self, chunk: Mapping[str, Request], purpose: str) -> str:
        try:
            for key, request in chunk.items():
                self._held[key] = self.ledger.reserve(
                    request, batch=True, output_tokens=min(self._expected, request.max_tokens)
                )
        except CapReachedError:
            self._release()
            raise
        body = [
            {"custom_id": key, "params": claude_parameters(self.endpoint, request)}
            for key, request in chunk.items()
        ]
        batch = self._retried(lambda: self._sdk.messages.batches.create(requests=cast("Any", body)))
        self.journal.append(
            {"event": "submitted", "batch": batch.id, "purpose": purpose, "requests": list(chunk)}
        )
        return str(batch.id)

    def _collect(
        self,
        batch: str,
        wanted: Mapping[str, Request],
        replies: dict[str, Reply],
        purpose: str,
        attempt: int,
    ) -> None:
        while self._retried(lambda: self._sdk.messages.batches.retrieve(batch)).processing_status != "ended":
            self._sleep(POLL_S)
        # Read to the end before anything is used: a stream that breaks in between is fetched again whole.
        results = self._retried(lambda: list(self._sdk.messages.batches.results(batch)))
        seen: set[str] = set()
        for line in results:
            key = line.custom_id
            if key in seen:
                self.journal.append({"event": "duplicate", "batch": batch, "request_sha256": key})
                continue
            seen.add(key)
            if key in wanted:
                self._take(batch, key, wanted[key], line.result, replies, purpose, attempt)
        self._release()
        self.journal.append({"event": "collected", "batch": batch, "results": len(seen)})

    def _take(
        self,
        batch: str,
        key: str,
        request: Request,
        result: "anthropic.types.messages.MessageBatchResult",
        replies: dict[str, Reply],
        purpose: str,
        attempt: int,
    ) -> None:
        answer, content, status = None, None, "failed"
        if result.type == "succeeded":
            try:
                answer = claude_answer(result.message.to_dict())
                status, content, reason = judge_answer(answer, request)
            except SendError as error:
                reason = str(error)
        elif result.type == "errored":
            reason = f"{result.error.error.type}: {result.error.error.message}"
        else:
            reason = f"the batch {result.type} before this request was answered"
        self.journal.append(
            attempt_record(self.endpoint, purpose, key, request, attempt, answer, status, reason, batch=batch)
        )
        held = self._held.pop(key, None) or self.ledger.reserve(request, batch=True, output_tokens=0)
        self.ledger.settle(held, answer.usage if answer else None, batch=True)
        if answer is not None:
            self._expected = max(1, (self._expected + answer.usage.output_tokens) // 2)
        replies[key] = make_reply(
            self.endpoint, cast("Any", status), key, request, attempt, answer, content, reason, batch=True
        )

    def _release(self) -> None:
        for held in self._held.values():
            self.ledger.settle(held, None)
        self._held.clear()

    def _retried(self, call: Callable[[], _T]) -> _T:
        import anthropic

        for failure in range(POLL_FAILURES):
            try:
                return call()
            except anthropic.APIStatusError as error:
                sent = status_error(error.status_code, str(error.message), error.response.headers)
                if not sent.retry or failure == POLL_FAILURES - 1:
                    raise EngineError(
                        f"the batch server failed: {sent}; run the same command again"
                    ) from error
                self._sleep(sent.wait if sent.wait is not None else POLL_S)
            except (anthropic.APIError, ValueError) as error:
                if failure == POLL_FAILURES - 1:
                    raise EngineError(f"the batch server cannot be reached: {error}") from error
                self._sleep(POLL_S)
        raise EngineError("the batch server cannot be reached")


def _again(reply: Reply) -> bool:
    return reply.status not in {"ok", "refused"} and "invalid_request_error" not in (reply.reason or "")

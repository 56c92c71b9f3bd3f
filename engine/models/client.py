"""The one client: sends a request, retries with backoff, checks the answer, records every attempt."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from engine.models.caps import Ledger
from engine.models.journal import Journal
from engine.models.request import Answer, Endpoint, Reply, ReplyStatus, Request, Usage, sha256
from engine.models.schema import violation
from engine.models.wire import (
    SendError,
    chat_parameters,
    chat_sender,
    claude_parameters,
    claude_sender,
    not_applied,
)

# Attempts after which a failing server, respectively an answer of no use, is given up.
SEND_ATTEMPTS = 6
CONTENT_ATTEMPTS = 2
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
LONGEST_ASKED_WAIT_S = 120.0
_TRUNCATED = frozenset({"max_tokens", "length", "model_context_window_exceeded"})


class Client:
    """A model endpoint with caps, retries and a journal of every attempt.

    Parameters
    ----------
    endpoint : Endpoint
        Where the model is.
    ledger : Ledger
        Caps shared by all users of this client.
    journal : Journal
        Receives one line per attempt: request, its hash, response, its hash, usage, cost, status.
    sleep : callable, optional
        Waits between attempts; tests pass their own.
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
        self._send = claude_sender(endpoint) if endpoint.kind == "claude" else chat_sender(endpoint)

    def complete(self, request: Request, *, purpose: str = "") -> Reply:
        """Ask once, with as many attempts as the server's failures and useless answers need.

        Parameters
        ----------
        request : Request
            What to ask.
        purpose : str
            A word for the journal, e.g. ``equivalence``.

        Returns
        -------
        Reply
            Always an outcome; ``status`` says of which kind.

        Raises
        ------
        CapReachedError
            When a cap forbids the next attempt.
        EngineError
            When the server refuses the key or the model.
        """
        key = request_hash(self.endpoint, request)
        useless = 0
        for attempt in range(1, SEND_ATTEMPTS + 1):
            held = self.ledger.reserve(request)
            answer: Answer | None = None
            try:
                answer = self._send(request)
            except SendError as error:
                self._record(purpose, key, request, attempt, None, "failed", str(error))
                if not error.retry or attempt == SEND_ATTEMPTS:
                    return self._reply("failed", key, request, attempt, None, None, str(error))
                self._sleep(_wait(attempt, error.wait))
                continue
            finally:
                self.ledger.settle(held, None if answer is None else answer.usage)
            status, content, reason = judge_answer(answer, request)
            self._record(purpose, key, request, attempt, answer, status, reason)
            useless += status not in {"ok", "refused"}
            if status in {"ok", "refused"} or useless == CONTENT_ATTEMPTS:
                return self._reply(status, key, request, attempt, answer, content, reason)
        return self._reply("failed", key, request, SEND_ATTEMPTS, None, None, "no usable answer")

    def _record(
        self,
        purpose: str,
        key: str,
        request: Request,
        attempt: int,
        answer: Answer | None,
        status: str,
        reason: str | None,
    ) -> None:
        self.journal.append(
            attempt_record(self.endpoint, purpose, key, request, attempt, answer, status, reason)
        )

    def _reply(
        self,
        status: ReplyStatus,
        key: str,
        request: Request,
        attempts: int,
        answer: Answer | None,
        content: object,
        reason: str | None,
    ) -> Reply:
        return make_reply(self.endpoint, status, key, request, attempts, answer, content, reason)


def request_hash(endpoint: Endpoint, request: Request) -> str:
    """Hash everything that is sent: model, messages, schema and settings."""
    return sha256(request_body(endpoint, request))


def request_body(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return what is sent for a request."""
    encode = claude_parameters if endpoint.kind == "claude" else chat_parameters
    return encode(endpoint, request)


def judge_answer(answer: Answer, request: Request) -> tuple[ReplyStatus, object, str | None]:
    """Decide what an answer is worth.

    Parameters
    ----------
    answer : Answer
        What came back.
    request : Request
        What was asked; with a schema the text must be JSON that fits it.

    Returns
    -------
    (status, content, reason)
        The parsed JSON (or the text, without a schema) when ``ok``; else a reason.
    """
    if answer.refusal is not None:
        return "refused", None, f"the model refused: {answer.refusal}"
    if answer.stop in _TRUNCATED:
        return "truncated", None, f"the answer was cut off at {answer.usage.output_tokens} tokens"
    if request.schema is None:
        return "ok", answer.text, None
    try:
        content = json.loads(answer.text)
    except ValueError as error:
        return "invalid json", None, f"the answer is not JSON: {error}"
    broken = violation(content, request.schema)
    if broken:
        return "schema violation", None, broken
    return "ok", content, None


def attempt_record(
    endpoint: Endpoint,
    purpose: str,
    key: str,
    request: Request,
    attempt: int,
    answer: Answer | None,
    status: str,
    reason: str | None,
    *,
    batch: str | None = None,
) -> dict[str, Any]:
    """Return the journal's line for one attempt. It holds no key: the key is in no request body."""
    usage = answer.usage if answer else None
    return {
        "event": "attempt",
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "purpose": purpose,
        "endpoint": endpoint.kind,
        "model": endpoint.model,
        "answered_by": answer.model if answer else None,
        "request_sha256": key,
        "request": request_body(endpoint, request),
        "not_applied": list(not_applied(endpoint, request)),
        "attempt": attempt,
        "batch": batch,
        "status": status,
        "reason": reason,
        "stop": answer.stop if answer else None,
        "response": answer.text if answer else None,
        "response_sha256": sha256(answer.text) if answer else None,
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "usage_estimated": usage.estimated if usage else None,
        "cost": usage.cost(endpoint.price, batch=batch is not None) if usage else None,
    }


def make_reply(
    endpoint: Endpoint,
    status: ReplyStatus,
    key: str,
    request: Request,
    attempts: int,
    answer: Answer | None,
    content: object,
    reason: str | None,
    *,
    batch: bool = False,
) -> Reply:
    """Put an outcome together."""
    usage = answer.usage if answer else Usage(0, 0)
    return Reply(
        status=status,
        text=answer.text if answer else "",
        content=content,
        model=answer.model if answer else endpoint.model,
        usage=usage,
        cost=usage.cost(endpoint.price, batch=batch),
        attempts=attempts,
        request_sha256=key,
        response_sha256=sha256(answer.text) if answer else None,
        not_applied=not_applied(endpoint, request),
        reason=reason,
        stop=answer.stop if answer else None,
    )


def _wait(attempt: int, asked: float | None) -> float:
    if asked is not None and asked >= 0:
        return min(asked, LONGEST_ASKED_WAIT_S)
    return float(min(FIRST_WAIT_S * 2.0 ** (attempt - 1), LONGEST_WAIT_S))

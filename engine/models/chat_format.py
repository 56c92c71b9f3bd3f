"""The broker's words: OpenAI chat completions read into our request, and replies written back."""

import math
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from engine.models.request import Effort, Message, Reply, Request

CHOICES_LIMIT = 16
DEFAULT_MAX_TOKENS = 1024
# Claude thinks before it answers, within max_tokens: a worker's own limit is meant for the answer alone.
THINKING_ALLOWANCE = 4096
WORKER_EFFORT: Effort = "low"

Role = Literal["system", "user", "assistant"]
_ROLES: Mapping[object, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}


class RefusedError(Exception):
    """An HTTP status with its sentence, for the worker."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def read_request(body: Mapping[str, Any], *, claude: bool) -> tuple[Request, int]:
    """Read a worker's chat-completions request.

    Parameters
    ----------
    body : mapping
        Parsed JSON.
    claude : bool
        Whether a Claude model will answer, which needs room to think.

    Returns
    -------
    (Request, int)
        The request and the number of choices asked for.

    Raises
    ------
    RefusedError
        For anything but plain text and numbers.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RefusedError(400, "messages must be a list of at least one message", "bad_request")
    turns = [(_role(message), _text(message)) for message in messages]
    system = "\n\n".join(text for role, text in turns if role == "system")
    spoken = tuple(Message(role, text) for role, text in turns if role != "system")
    if not spoken:
        raise RefusedError(400, "messages holds no user message", "bad_request")
    max_tokens = _whole(body, "max_completion_tokens") or _whole(body, "max_tokens")
    if max_tokens is not None and max_tokens < 1:
        raise RefusedError(400, "max_tokens must be at least 1", "bad_request")
    count = _whole(body, "n") or 1
    if not 1 <= count <= CHOICES_LIMIT:
        raise RefusedError(400, f"n must lie between 1 and {CHOICES_LIMIT}", "bad_request")
    request = Request(
        messages=spoken,
        max_tokens=(max_tokens or DEFAULT_MAX_TOKENS) + (THINKING_ALLOWANCE if claude else 0),
        system=system or None,
        effort=WORKER_EFFORT if claude else None,
        temperature=_number(body, "temperature"),
        top_p=_number(body, "top_p"),
        top_k=_whole(body, "top_k"),
        seed=_whole(body, "seed"),
        stop=_stop(body.get("stop")),
    )
    return request, count


def _role(message: object) -> Role:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        raise RefusedError(400, f"a message has the role {str(role)[:40]!r}", "bad_request")
    return _ROLES[role]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
        for part in content
    ):
        return "".join(part["text"] for part in content)
    raise RefusedError(400, "only plain text can be sent", "bad_request")


def _stop(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RefusedError(400, "stop must be a string or a list of strings", "bad_request")
    return tuple(words)


def _number(body: Mapping[str, Any], name: str) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise RefusedError(400, f"{name} must be a finite number", "bad_request")
    return value


def _whole(body: Mapping[str, Any], name: str) -> int | None:
    value = _number(body, name)
    return None if value is None else int(value)


def completion(replies: Sequence[Reply]) -> dict[str, Any]:
    """Write replies as one ``chat.completion`` object."""
    reasons = {"refused": "content_filter", "truncated": "length"}
    used = sum(reply.usage.input_tokens for reply in replies)
    written = sum(reply.usage.output_tokens for reply in replies)
    return {
        "id": f"chatcmpl-{secrets.token_hex(8)}",
        "object": "chat.completion",
        "created": 0,
        "model": replies[0].model,
        "choices": [
            {
                "index": index,
                "finish_reason": reasons.get(reply.status, "stop"),
                "message": {"role": "assistant", "content": reply.text},
            }
            for index, reply in enumerate(replies)
        ],
        "usage": {"prompt_tokens": used, "completion_tokens": written, "total_tokens": used + written},
    }


def chunk(completion: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
    """Write one of the two chunks in which a streamed completion is sent: all of it, then its end."""
    choices = [
        {
            "index": choice["index"],
            "delta": choice["message"] if first else {},
            "finish_reason": None if first else choice["finish_reason"],
        }
        for choice in completion["choices"]
    ]
    usage = None if first else completion["usage"]
    return {**completion, "object": "chat.completion.chunk", "choices": choices, "usage": usage}

"""Requests put into the words of each SDK, and answers taken out of them."""

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from engine.errors import EngineError
from engine.models.caps import CHARACTERS_PER_TOKEN
from engine.models.request import Answer, Endpoint, Request, Usage

if TYPE_CHECKING:
    import anthropic

# Longest silence between two bytes of a stream, seconds; high effort thinks for minutes.
READ_TIMEOUT_S = 600.0
RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class SendError(RuntimeError):
    """A failed attempt: whether another may help, and how long the server asks to wait."""

    def __init__(
        self, message: str, *, retry: bool, wait: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.retry = retry
        self.wait = wait
        self.status = status


class Sender(Protocol):
    """Sends one request once."""

    def __call__(self, request: Request) -> Answer:
        """Return the answer or raise SendError."""


def not_applied(endpoint: Endpoint, request: Request) -> tuple[str, ...]:
    """Name the settings of a request that the endpoint's models do not have."""
    if endpoint.kind == "openai":
        return ("effort",) if request.effort is not None else ()
    names = ("temperature", "top_p", "top_k", "seed")
    return tuple(name for name in names if getattr(request, name) is not None)


def claude_parameters(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return the body of a Messages request: adaptive thinking, effort, and JSON output by schema."""
    output: dict[str, Any] = {}
    if request.effort is not None:
        output["effort"] = request.effort
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
    body: dict[str, Any] = {
        "model": endpoint.model,
        "max_tokens": request.max_tokens,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        "thinking": {"type": "adaptive"},
    }
    if output:
        body["output_config"] = output
    if request.system is not None:
        body["system"] = request.system
    if request.stop:
        body["stop_sequences"] = list(request.stop)
    return body


def chat_parameters(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return the body of a chat-completions request."""
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    if request.system is not None:
        messages.insert(0, {"role": "system", "content": request.system})
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": messages,
        "max_tokens": request.max_tokens,
    }
    for name in ("temperature", "top_p", "seed"):
        if getattr(request, name) is not None:
            body[name] = getattr(request, name)
    if request.top_k is not None:
        body["extra_body"] = {"top_k": request.top_k}
    if request.stop:
        body["stop"] = list(request.stop)
    if request.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
        }
    return body


def claude_sdk(endpoint: Endpoint) -> "anthropic.Anthropic":
    """Open Anthropic's SDK on an endpoint; retries are ours, so that each attempt is on record."""
    import anthropic

    # A server on this machine is never reached through a proxy of the environment.
    http = anthropic.DefaultHttpxClient(trust_env=False) if endpoint.local else None
    return anthropic.Anthropic(
        api_key=endpoint.key(),
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=READ_TIMEOUT_S,
        http_client=http,
    )


def claude_sender(endpoint: Endpoint) -> Sender:
    """Return a sender of streamed Messages requests."""
    import anthropic

    sdk = claude_sdk(endpoint)

    def send(request: Request) -> Answer:
        try:
            with sdk.messages.stream(**claude_parameters(endpoint, request)) as stream:
                message = stream.get_final_message()
        except anthropic.APIStatusError as error:
            raise status_error(error.status_code, str(error.message), error.response.headers) from error
        except anthropic.APIError as error:
            raise SendError(f"{type(error).__name__}: {error.message}", retry=True) from error
        except (AssertionError, ValueError) as error:
            # A stream that ends before message_stop leaves the SDK without a message to return.
            raise SendError(f"the stream ended early ({error})", retry=True) from error
        return claude_answer(message.to_dict())

    return send


def claude_answer(message: dict[str, Any]) -> Answer:
    """Read one message of the Messages API (also a line of a batch's results)."""
    if message.get("stop_reason") is None:
        raise SendError("the stream ended without a stop reason", retry=True)
    text = "".join(block.get("text", "") for block in message["content"] if block["type"] == "text")
    usage = message.get("usage") or {}
    refusal = None
    if message["stop_reason"] == "refusal":
        details = message.get("stop_details") or {}
        refusal = str(details.get("explanation") or details.get("category") or "no explanation given")
    read = sum(
        int(usage.get(name) or 0)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    )
    return Answer(
        text,
        str(message["stop_reason"]),
        Usage(read, int(usage.get("output_tokens") or 0)),
        str(message["model"]),
        refusal,
    )


def chat_sender(endpoint: Endpoint) -> Sender:
    """Return a sender of chat completions."""
    import openai

    http = openai.DefaultHttpxClient(trust_env=False) if endpoint.local else None
    sdk = openai.OpenAI(
        api_key=endpoint.key(),
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=READ_TIMEOUT_S,
        http_client=http,
    )

    def send(request: Request) -> Answer:
        try:
            # The body was built for this call; the SDK's overloads cannot follow a dict.
            completion = cast("Any", sdk.chat.completions.create)(**chat_parameters(endpoint, request))
        except openai.APIStatusError as error:
            raise status_error(error.status_code, str(error.message), error.response.headers) from error
        except openai.APIError as error:
            raise SendError(f"{type(error).__name__}: {error.message}", retry=True) from error
        except ValueError as error:
            raise SendError(f"the server's answer is not JSON ({error})", retry=True) from error
        return chat_answer(completion.to_dict() if hasattr(completion, "to_dict") else completion, request)

    return send


def chat_answer(completion: object, request: Request) -> Answer:
    """Read one chat completion."""
    if not isinstance(completion, dict) or not completion.get("choices"):
        raise SendError("the server answered without choices", retry=True)
    choice: dict[str, Any] = completion["choices"][0]
    message = choice.get("message") or {}
    text = message.get("content") or ""
    stop = str(choice.get("finish_reason"))
    usage = completion.get("usage") or {}
    if "prompt_tokens" in usage:
        used = Usage(int(usage["prompt_tokens"]), int(usage.get("completion_tokens") or 0))
    else:
        used = Usage(
            request.characters // CHARACTERS_PER_TOKEN + 1,
            len(text) // CHARACTERS_PER_TOKEN + 1,
            estimated=True,
        )
    refusal = message.get("refusal") or ("content filter" if stop == "content_filter" else None)
    return Answer(text, stop, used, str(completion.get("model") or ""), refusal)


def status_error(status: int, message: str, headers: Mapping[str, str]) -> SendError:
    """Turn an HTTP status into a failed attempt, or into the end where nothing else can help.

    Raises
    ------
    EngineError
        For 401, 403 and 404: the key or the model's name is wrong, for every request alike.
    """
    if status in {401, 403, 404}:
        raise EngineError(
            f"the model server refused ({status}): {message}; check the key and the model's name"
        )
    wait: float | None = None
    with contextlib.suppress(ValueError):
        wait = float(headers.get("retry-after", ""))
    # An error event inside a stream comes under the stream's own 200: the server gave up on its side.
    retry = status in RETRIED_STATUS or status < 400
    return SendError(f"HTTP {status}: {message}", retry=retry, wait=wait, status=status)

"""What is asked of a model and what comes back, as values with content hashes."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.errors import EngineError

Kind = Literal["claude", "openai"]
Effort = Literal["low", "medium", "high", "xhigh", "max"]
ReplyStatus = Literal["ok", "refused", "truncated", "invalid json", "schema violation", "failed"]

# Paper 1, I.2.
JUDGE_MODEL = "claude-opus-5"
JUDGE_MAX_TOKENS = 65536
JUDGE_EFFORT: Effort = "xhigh"

# List prices in US dollars per million tokens (platform.claude.com, model overview pages, November 2026).
PRICES: Mapping[str, tuple[float, float]] = {
    "claude-opus-5": (5.0, 25.0),
    "claude-opus-5-5": (4.0, 20.0),
    "claude-sonnet-5": (2.0, 10.0),
    "claude-sonnet-5-5": (2.0, 10.0),
}
# The Message Batches API charges half.
BATCH_PRICE_FACTOR = 0.5
KEY_VARIABLES: Mapping[Kind, str] = {"claude": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is reached. The key stays in the environment and is read only to open the connection.

    Attributes
    ----------
    kind : {'claude', 'openai'}
        Anthropic's Messages API, or anything that speaks OpenAI chat completions.
    model : str
        Model id.
    base_url : str or None
        Server address; None is the SDK's own default.
    key_variable : str or None
        Environment variable with the key; None takes the kind's usual one.
    prices : (float, float) or None
        US dollars per million input and output tokens; None looks the model up in ``PRICES``.
    """

    kind: Kind
    model: str
    base_url: str | None = None
    key_variable: str | None = None
    prices: tuple[float, float] | None = None

    @property
    def price(self) -> tuple[float, float] | None:
        """US dollars per million input and output tokens, when known."""
        return self.prices or PRICES.get(self.model)

    def key(self) -> str:
        """Return the key from the environment.

        Raises
        ------
        EngineError
            When the variable is not set and the server is not on this machine.
        """
        variable = self.key_variable or KEY_VARIABLES[self.kind]
        value = os.environ.get(variable)
        if value:
            return value
        if self.local:
            return "none"
        raise EngineError(
            f"no key for {self.model}: set {variable}, or name a server that needs none with --base-url"
        )

    @property
    def local(self) -> bool:
        """Whether the server runs on this machine."""
        from urllib.parse import urlsplit

        host = urlsplit(self.base_url or "").hostname
        return host in {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of plain text."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """One stateless request.

    ``schema`` asks for JSON output that satisfies it. ``temperature``, ``top_p`` and ``top_k`` do not exist
    on current Claude models: there they are left out and the record says ``not applied`` (SPEC 3).
    """

    messages: tuple[Message, ...]
    max_tokens: int
    system: str | None = None
    schema: Mapping[str, Any] | None = None
    effort: Effort | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()

    @property
    def characters(self) -> int:
        """Length of everything that is sent as text."""
        return sum(len(message.text) for message in self.messages) + len(self.system or "")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one attempt; ``estimated`` when the server did not report them."""

    input_tokens: int
    output_tokens: int
    estimated: bool = False

    def cost(self, price: tuple[float, float] | None, *, batch: bool = False) -> float | None:
        """US dollars; None where the price is unknown."""
        if price is None:
            return None
        dollars = (self.input_tokens * price[0] + self.output_tokens * price[1]) / 1e6
        return dollars * BATCH_PRICE_FACTOR if batch else dollars


@dataclass(frozen=True, slots=True)
class Answer:
    """What one attempt returned, before its content is judged."""

    text: str
    stop: str | None
    usage: Usage
    model: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a request after all attempts."""

    status: ReplyStatus
    text: str
    content: Any
    model: str
    usage: Usage
    cost: float | None
    attempts: int
    request_sha256: str
    response_sha256: str | None
    not_applied: tuple[str, ...] = ()
    reason: str | None = None
    stop: str | None = field(default=None)


def sha256(value: object) -> str:
    """Hash a JSON value by its canonical text."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()

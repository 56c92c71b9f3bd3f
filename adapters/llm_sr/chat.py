"""A worker's side of the model: chat completions over the endpoint the engine lends, with hard bounds."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
LONGEST_REQUEST_S = 180.0
# Answers after which no further call can help: no key of ours, a cap, a model that is not there.
_FINAL = (400, 401, 403, 404, 422)


class OverError(RuntimeError):
    """No further call is possible: budget, cap, limit, or a server that refuses for good."""


class EndpointError(RuntimeError):
    """The run has no model to ask."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one run's calls; None is no limit.

    Attributes
    ----------
    calls, tokens
        Requests that were answered, and input plus output tokens.
    cost
        US dollars at ``price_in`` and ``price_out`` per million tokens.
    """

    calls: int | None
    tokens: int | None
    cost: float | None
    price_in: float
    price_out: float


class Chat:
    """A chat-completions client on the standard library.

    Parameters
    ----------
    endpoint : mapping or None
        ``url`` (base, ends in /v1), ``token``, ``model``.
    sampling : mapping
        temperature, top_p, top_k and max_tokens of every request.
    bounds : Bounds
        When to stop for good.
    time_left : callable
        Seconds of the run's budget that remain.
    """

    def __init__(
        self,
        endpoint: Mapping[str, Any] | None,
        sampling: Mapping[str, Any],
        bounds: Bounds,
        time_left: Callable[[], float],
    ) -> None:
        if not endpoint or not endpoint.get("url"):
            raise EndpointError("this method asks a language model; start the campaign with a model for it")
        self.url = str(endpoint["url"]).rstrip("/") + "/chat/completions"
        self.token = str(endpoint.get("token") or "none")
        self.model = str(endpoint.get("model") or "default")
        self.sampling = {name: value for name, value in sampling.items() if value is not None}
        self.bounds = bounds
        self.time_left = time_left
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        # A model on this machine is never reached through a proxy of the environment.
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    @property
    def cost(self) -> float:
        """US dollars so far."""
        bounds = self.bounds
        return (self.input_tokens * bounds.price_in + self.output_tokens * bounds.price_out) / 1e6

    def ask(self, text: str, *, seed: int, most: int | None = None) -> str:
        """Ask once; wait and try again while the server is only busy.

        Parameters
        ----------
        text : str
            The user message.
        seed : int
            Passed on; servers that know it repeat themselves.
        most : int, optional
            Most tokens of the answer, where it should be shorter than the usual.

        Returns
        -------
        str
            The answer's text; empty if the model said nothing.

        Raises
        ------
        OverError
            When no further call is possible.
        """
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": text}],
            "seed": seed,
            **self.sampling,
        }
        if most is not None:
            body["max_tokens"] = min(most, int(body.get("max_tokens", most)))
        wait = FIRST_WAIT_S
        while True:
            self._check()
            try:
                return self._once(body)
            except urllib.error.HTTPError as error:
                reason = _reason(error)
                if error.code in _FINAL:
                    raise OverError(f"the model endpoint refused ({error.code}): {reason}") from error
            except (urllib.error.URLError, TimeoutError, ConnectionError, ValueError) as error:
                reason = str(error)
            if self.time_left() <= wait:
                raise OverError(f"the model did not answer before the budget ended: {reason}")
            time.sleep(wait)
            wait = min(2.0 * wait, LONGEST_WAIT_S)

    def _once(self, body: Mapping[str, Any]) -> str:
        request = urllib.request.Request(  # noqa: S310 - the engine's own loopback address
            self.url,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
        )
        seconds = max(1.0, min(LONGEST_REQUEST_S, self.time_left()))
        with self._open(request, timeout=seconds) as answer:
            found = json.loads(answer.read().decode("utf-8"))
        choices = found.get("choices") if isinstance(found, dict) else None
        if not isinstance(choices, list) or not choices:
            raise ValueError("the answer has no choices")
        text = (choices[0].get("message") or {}).get("content") or ""
        usage = found.get("usage") or {}
        self.calls += 1
        self.input_tokens += int(usage.get("prompt_tokens") or len(str(body["messages"])) // 4)
        self.output_tokens += int(usage.get("completion_tokens") or len(text) // 4)
        return str(text)

    def _check(self) -> None:
        bounds = self.bounds
        if self.time_left() <= 0.0:
            raise OverError("the budget is over")
        if bounds.calls is not None and self.calls >= bounds.calls:
            raise OverError(f"the limit of {bounds.calls} calls is reached")
        if bounds.tokens is not None and self.input_tokens + self.output_tokens >= bounds.tokens:
            raise OverError(f"the limit of {bounds.tokens} tokens is reached")
        if bounds.cost is not None and self.cost >= bounds.cost:
            raise OverError(f"the limit of ${bounds.cost:.2f} is reached")


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        body = json.loads(error.read().decode("utf-8"))
        return str(body["error"]["message"])[:300]
    except (ValueError, KeyError, TypeError, OSError):
        return str(error.reason)

"""Lends the campaign's language model to the workers that ask one: the key stays with the engine."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.models.broker import Broker, Lease
from engine.models.caps import Caps, Ledger
from engine.models.client import Client
from engine.models.journal import Journal
from engine.models.request import Endpoint

MODEL_LOG = "model.jsonl"
CAMPAIGN_LOG = "control/model.jsonl"
KEYS = ("name", "base_url", "key_variable", "prices", "calls", "tokens", "cost")


def endpoint_of(model: Mapping[str, Any]) -> Endpoint:
    """Read a campaign's ``[model]`` table.

    Parameters
    ----------
    model : mapping
        ``name``; ``base_url`` of an OpenAI-compatible server (Claude without one), ``key_variable``,
        ``prices`` in dollars per million tokens.

    Returns
    -------
    Endpoint
        Where the model is.

    Raises
    ------
    EngineError
        When the name is missing, a key is unknown, or the prices are no pair.
    """
    for key in model:
        if key not in KEYS:
            raise EngineError(f"the model has no {key!r}: it may have {', '.join(KEYS)}")
    name, prices = model.get("name"), model.get("prices")
    if not isinstance(name, str) or not name:
        raise EngineError("the model has no name: say for example --model NAME --base-url URL")
    if prices is not None and (not isinstance(prices, (list, tuple)) or len(prices) != 2):
        raise EngineError("the model's prices must be two numbers: $ per million input and output tokens")
    address = model.get("base_url")
    if address is not None and not str(address).startswith(("http://", "https://")):
        raise EngineError(f"the model's base URL {address!r} must begin with http:// or https://")
    return Endpoint(
        "openai" if model.get("base_url") else "claude",
        name,
        model.get("base_url"),
        model.get("key_variable"),
        None if prices is None else (float(prices[0]), float(prices[1])),
    )


class Lender:
    """The broker of one engine, with a lease for every run that asks a model.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    model : mapping
        The spec's ``[model]`` table; ``calls``, ``tokens`` and ``cost`` cap every run.
    """

    def __init__(self, campaign: Path, model: Mapping[str, Any]) -> None:
        endpoint = endpoint_of(model)
        self._model = endpoint.model
        self._caps = Caps(model.get("calls"), model.get("tokens"), model.get("cost"))
        ledger = Ledger(Caps(), endpoint.price)
        self._broker = Broker(Client(endpoint, ledger, Journal(campaign / CAMPAIGN_LOG)))
        self._leases: dict[Path, Lease] = {}

    def lend(self, run: str, attempt: Path) -> dict[str, Any]:
        """Open the model to one run.

        Parameters
        ----------
        run : str
            Run id.
        attempt : pathlib.Path
            Its attempt, which receives the record of every call.

        Returns
        -------
        dict
            The ``endpoint`` of its request: a loopback address and a token, no key.
        """
        lease = self._broker.lend(run, self._caps, attempt / MODEL_LOG)
        self._leases[attempt] = lease
        return lease.endpoint(self._model)

    def take_back(self, attempt: Path) -> dict[str, Any] | None:
        """Close the model to a run.

        Parameters
        ----------
        attempt : pathlib.Path
            Its attempt.

        Returns
        -------
        dict or None
            Calls, tokens and cost it used; None when it had no lease of this engine.
        """
        lease = self._leases.pop(attempt, None)
        return None if lease is None else asdict(self._broker.revoke(lease))

    def close(self) -> None:
        """Stop serving."""
        self._broker.close()

"""Caps on calls, tokens and cost that hold across threads: reserve before a call, settle after it."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError
from engine.models.request import Request, Usage

# English and formulas run at about four characters a token; three overestimates, as a reservation should.
CHARACTERS_PER_TOKEN = 3


class CapReachedError(EngineError):
    """A cap forbids the next call: the hard stop of a campaign's model use."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Upper bounds; None is no bound."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used so far."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """The worst case of one call, held until it is settled."""

    tokens: int
    cost: float


class Ledger:
    """Counts calls, tokens and dollars against caps.

    A call is allowed only if its worst case fits beside everything reserved and spent, so a cap is never
    exceeded by more than a server's own excess over ``max_tokens``.
    """

    def __init__(self, caps: Caps, price: tuple[float, float] | None, spent: Spent | None = None) -> None:
        if caps.cost is not None and price is None:
            raise EngineError(
                "a cost cap needs the model's prices: give --price INPUT OUTPUT in $ per million"
            )
        self.caps = caps
        self.price = price
        self.spent = spent or Spent()
        self._held: list[Reservation] = []
        self._lock = threading.Lock()

    def reserve(
        self, request: Request, *, batch: bool = False, output_tokens: int | None = None
    ) -> Reservation:
        """Hold the worst case of a request.

        Parameters
        ----------
        request : Request
            What will be sent.
        batch : bool
            Whether it is charged at the batch price.
        output_tokens : int, optional
            Expected output; the request's ``max_tokens`` when omitted.

        Returns
        -------
        Reservation
            To be given to `settle`.

        Raises
        ------
        CapReachedError
            When a cap forbids it.
        """
        worst = worst_case(request, output_tokens)
        held = Reservation(
            worst.input_tokens + worst.output_tokens, worst.cost(self.price, batch=batch) or 0.0
        )
        with self._lock:
            self._check(held)
            self._held.append(held)
        return held

    def settle(self, held: Reservation, usage: Usage | None, *, batch: bool = False) -> None:
        """Replace a reservation by what was really used; None releases it unused."""
        with self._lock:
            self._held.remove(held)
            if usage is None:
                return
            self.spent = Spent(
                self.spent.calls + 1,
                self.spent.input_tokens + usage.input_tokens,
                self.spent.output_tokens + usage.output_tokens,
                self.spent.cost + (usage.cost(self.price, batch=batch) or 0.0),
            )

    def _check(self, held: Reservation) -> None:
        spent, caps = self.spent, self.caps
        if caps.calls is not None and spent.calls + len(self._held) + 1 > caps.calls:
            raise CapReachedError(f"the cap of {caps.calls} model calls is reached")
        tokens = spent.input_tokens + spent.output_tokens + sum(r.tokens for r in self._held)
        if caps.tokens is not None and tokens + held.tokens > caps.tokens:
            raise CapReachedError(
                f"the cap of {caps.tokens} tokens leaves no room for a call of up to {held.tokens} "
                f"({tokens} used or reserved)"
            )
        cost = spent.cost + sum(r.cost for r in self._held)
        if caps.cost is not None and cost + held.cost > caps.cost:
            raise CapReachedError(
                f"the cap of ${caps.cost:.2f} leaves no room for a call of up to ${held.cost:.2f} "
                f"(${cost:.2f} spent or reserved)"
            )


def worst_case(request: Request, output_tokens: int | None = None) -> Usage:
    """Estimate a request's tokens from above.

    Parameters
    ----------
    request : Request
        What will be sent.
    output_tokens : int, optional
        Expected output; ``max_tokens`` when omitted.

    Returns
    -------
    Usage
        Marked as estimated.
    """
    return Usage(
        request.characters // CHARACTERS_PER_TOKEN + 1,
        request.max_tokens if output_tokens is None else output_tokens,
        estimated=True,
    )


def spent_before(journal: Iterable[Mapping[str, Any]]) -> Spent:
    """Add up what earlier sessions used, so that a cap holds for a campaign and not for one process.

    Parameters
    ----------
    journal : iterable of mapping
        Lines of a client's journal.

    Returns
    -------
    Spent
        Calls that were answered, their tokens and dollars.
    """
    spent = Spent()
    for line in journal:
        if line.get("event") == "attempt" and line.get("input_tokens") is not None:
            spent = Spent(
                spent.calls + 1,
                spent.input_tokens + int(line["input_tokens"]),
                spent.output_tokens + int(line["output_tokens"]),
                spent.cost + float(line["cost"] or 0.0),
            )
    return spent

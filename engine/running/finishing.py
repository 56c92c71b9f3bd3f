"""Composes the result of an attempt that has ended: which expression counts, and what the run ended as."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.running import records
from engine.running.checkpoints import evaluation_of, number
from engine.running.evaluating import NATIVE_GAP_SENTENCE
from engine.running.spec import Limits
from engine.running.tail import Tail

_MESSAGE_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Choice:
    """The expression that counts, before it is evaluated: the method's return or an incumbent."""

    source: str
    t: float
    text: str
    native: str
    score: float | None
    score_name: str
    predictions: str | None


def choose(tail: Tail, limits: Limits) -> Choice | None:
    """Pick the final expression (SPEC 4): the method's return within the budget, else the last incumbent.

    Parameters
    ----------
    tail : Tail
        The attempt's whole record.
    limits : Limits
        Gives the budget.

    Returns
    -------
    Choice or None
        None when the method found nothing in time. What appeared in the grace period is never chosen.
    """
    final = tail.final
    in_time = tail.returned is not None and tail.returned <= limits.budget_s
    if final is not None and in_time and isinstance(final.get("text"), str) and final["text"].strip():
        predictions = final.get("train_predictions")
        return Choice(
            source="return",
            t=number(final.get("t")) or 0.0,
            text=final["text"],
            native=str(final.get("native") or final["text"]),
            score=number(final.get("score")),
            score_name=str(final.get("score_name") or ""),
            predictions=str(tail.attempt / predictions) if isinstance(predictions, str) else None,
        )
    incumbent = tail.last_auditable(limits.budget_s)
    if incumbent is None:
        return None
    return Choice(
        source="incumbent",
        t=incumbent.t,
        text=incumbent.text,
        native=incumbent.native,
        score=incumbent.score,
        score_name=incumbent.score_name,
        predictions=None,
    )


def final_part(choice: Choice | None, assessed: Mapping[str, Any] | None) -> dict[str, Any]:
    """Build the ``final`` part of a result.

    Parameters
    ----------
    choice : Choice or None
        See `choose`.
    assessed : mapping or None
        The evaluator's answer about it.

    Returns
    -------
    dict
        With status ``none`` when there is no expression.
    """
    if choice is None or assessed is None:
        return {"source": None, "t": None, "text": None, "native": None, "status": "none",
                "reason": "the method stated no expression within the budget"}  # fmt: skip
    evaluation = evaluation_of(assessed)
    return {
        "source": choice.source,
        "t": choice.t,
        "native": choice.native,
        "text": choice.text,
        "expression": evaluation.expression,
        "positional": evaluation.positional,
        "status": evaluation.status,
        "reason": evaluation.reason,
        "train_nmse": evaluation.train_nmse,
        "id_nmse": evaluation.id_nmse,
        "ood_nmse": evaluation.ood_nmse,
        "id_status": evaluation.id_status,
        "ood_status": evaluation.ood_status,
        "denominator_id": evaluation.denominator_id,
        "denominator_ood": evaluation.denominator_ood,
        "native_gap": number(assessed.get("native_gap")),
        "native_gap_flag": bool(assessed.get("native_gap_flag", False)),
        "native_gap_note": NATIVE_GAP_SENTENCE if assessed.get("native_gap_flag") else None,
    }


def verdict(
    exit_record: Mapping[str, Any], tail: Tail, final: Mapping[str, Any], interrupted: str | None
) -> tuple[str, str | None]:
    """Say what an attempt ended as, and why: the keeper's word, and what worker and evaluation add to it.

    Parameters
    ----------
    exit_record : mapping
        The keeper's ``exit.json``.
    tail : Tail
        The attempt's record.
    final : mapping
        See `final_part`.
    interrupted : str or None
        Why the engine itself ended the run, if it did.

    Returns
    -------
    status : str
        One of `engine.running.records.ENDED`.
    reason : str or None
        One line.
    """
    status, reason = str(exit_record.get("status")), exit_record.get("reason")
    if tail.failure is not None and status in {records.CRASHED, records.START_FAILED}:
        kind, message = tail.failure.get("type"), str(tail.failure.get("message", ""))
        told = " ".join(f"{kind}: {message}".split())[:_MESSAGE_LIMIT]
        reason = f"{reason}: {told}"
    if status == records.CANCELLED and interrupted:
        reason = interrupted
    if status == records.COMPLETED and final["status"] != "ok":
        status = records.INVALID
        reason = f"{final['status']}: {final['reason']}" if final["source"] else final["reason"]
    if final.get("source") == "incumbent" and status != records.INVALID:
        number_of = 1 + max(
            (incumbent.index for incumbent in tail.incumbents if incumbent.t == final["t"]), default=0
        )
        note = f"result from incumbent {number_of} at {final['t']:.4g} s"
        reason = f"{reason}; {note}" if reason else note
    return status, reason

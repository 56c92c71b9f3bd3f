"""Symbolic accuracy by votes (paper 2, B.2): ten judgments of every saved formula, unanimity counts.

``votes/TASK/SEED/ARM.json`` holds the votes on a unit, ``votes-calls.jsonl`` every attempt with its text. A
vote that was answered is never asked again, also after a crash between two of the ten.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.expression import ExpressionError
from engine.judging.votes import VOTES, Poll, Vote, ballot, vote_of
from engine.models.caps import Caps, Ledger, spent_before
from engine.models.client import Client
from engine.models.journal import Journal, lines
from engine.models.request import Endpoint, Request
from engine.reachability.outcomes import Outcomes
from engine.reachability.records import SCHEMA, UnitKey, plan, read, units, write
from engine.reachability.report import Report, Table, Value, percent
from engine.reachability.study import Progress
from tasks import catalogue

CALLS = "votes-calls.jsonl"
FOLDER = "votes"
"""Folder of the votes below a study's folder."""
THREADS = 4
PATIENCE = 2
"""Formulas without ten votes after which a model that has completed none is asked no more this session."""
_LABELS = ("unanimous yes", "unanimous no", "mixed", "unusable")


def run(
    folder: Path,
    endpoint: Endpoint,
    caps: Caps,
    arms: Sequence[str] | None,
    on_progress: Callable[[Progress], None] | None = None,
) -> tuple[tuple[str, int, str, str], ...]:
    """Ask for every vote that is missing.

    Parameters
    ----------
    folder
        Folder of ``paired run`` or ``paired knockout``.
    endpoint, caps
        Who votes, and most calls, tokens and dollars, earlier sessions of this folder included.
    arms
        Arms whose formulas are judged; None for all.
    on_progress
        Told after each unit.

    Returns
    -------
    tuple
        (task, seed, arm, reason) of the units whose votes are incomplete.

    Raises
    ------
    EngineError
        For an arm that the study does not have, or votes of another model in the folder.
    """
    judged = _wanted(folder, arms)
    others = {str(vote["model"]) for vote in _votes(folder).values()} - {endpoint.model}
    if others:
        raise EngineError(f"{folder} holds votes of {others.pop()}; one folder has the votes of one model")
    journal = folder / CALLS
    client = Client(endpoint, Ledger(caps, endpoint.price, spent_before(lines(journal))), Journal(journal))
    answered = {
        str(line["purpose"]): str(line["response"]) if line["status"] == "ok" else ""
        for line in lines(journal)
        if line.get("status") != "failed" and line.get("response") is not None
    }
    left_over = [unit for unit in judged if not _counted(folder, unit)]
    open_: list[tuple[str, int, str, str]] = []
    began = time.monotonic()
    for count, unit in enumerate(left_over, start=1):
        given_up = len(open_) >= PATIENCE and len(open_) == count - 1
        why = f"not asked: {open_[0][3]}" if given_up else _voted(folder, unit, client, answered)
        if why is not None:
            open_.append((unit["task"], unit["seed"], unit["arm"], why))
        if on_progress is not None:
            left = (time.monotonic() - began) / count * (len(left_over) - count)
            done = len(judged) - len(left_over) + count
            on_progress(
                Progress(done, len(judged), left, f"{unit['arm']} on {unit['name']}, seed {unit['seed']}")
            )
    return tuple(open_)


def missing(folder: Path, arms: Sequence[str] | None) -> tuple[int, int, int]:
    """Count what `run` would ask: formulas, votes, and characters of their questions.

    Parameters
    ----------
    folder, arms
        See `run`. Votes that were given before a crash count as missing here.

    Returns
    -------
    (int, int, int)
    """
    wanted = [unit for unit in _wanted(folder, arms) if not _counted(folder, unit)]
    characters = 0
    for unit in wanted:
        features = catalogue.get(unit["task"]).feature_names
        characters += VOTES * ballot("openai", unit["truth"], unit["expression"], features)[1].characters
    return len(wanted), VOTES * len(wanted), characters


def report(folder: Path) -> Report:
    """Tabulate symbolic accuracy by votes, beside the offline verdict, and the paired gains under it.

    Parameters
    ----------
    folder
        Folder with votes.

    Returns
    -------
    Report

    Raises
    ------
    EngineError
        If it holds none.
    """
    votes = _votes(folder)
    if not votes:
        raise EngineError(f"{folder} holds no votes; name a model (--model) to ask for them")
    records = [unit for unit in units(folder) if not _judgeable(unit) or _current(unit, votes)]
    offline = Outcomes(records, plan(folder))
    found = Outcomes([_replaced(unit, votes) for unit in records], plan(folder))
    rates: list[tuple[Value, ...]] = []
    gains: list[tuple[Value, ...]] = []
    for arm in found.arms:
        labels = [votes[key]["label"] for key in votes if key.arm == arm]
        rates.append(
            (
                arm.upper(),
                percent(found.rate(arm, "sa")),
                percent(offline.rate(arm, "sa")),
                *(labels.count(label) for label in _LABELS),
            )
        )
        if arm != "bank" and "bank" in found.arms:
            gain = found.gain(arm, "bank", "sa")
            p: Value = "no differing cells" if gain.p is None else round(gain.p, 6)
            pair = f"{arm.upper()} - BANK"
            gains.append((pair, gain.net, gain.wins, gain.losses, gain.ties, gain.left_out, p))
    models = ", ".join(sorted({str(vote["model"]) for vote in votes.values()}))
    tables = [
        Table(
            "votes",
            f"SA in %, by {VOTES} votes of {models} and offline, mean ± population sd over seeds (B.2)",
            ("arm", "SA (votes)", "SA (offline)", *_LABELS),
            tuple(rates),
        )
    ]
    if gains:
        heads = ("pair", "net", "gained", "lost", "tied", "left out", "p")
        tables.append(Table("votes_gains", "Paired gains under SA by votes (eq. 5)", heads, tuple(gains)))
    notes = ("Mixed and incomplete votes count as wrong; units without votes are left out, not wrong.",)
    return Report(f"Votes on {len(votes)} saved formulas", tuple(tables), notes)


def _wanted(folder: Path, arms: Sequence[str] | None) -> list[dict[str, Any]]:
    known = plan(folder)["arms"]
    unknown = [arm for arm in arms or () if arm not in known]
    if unknown:
        raise EngineError(f"{folder} has no arm {unknown[0]!r}; its arms are {', '.join(known)}")
    return [unit for unit in units(folder) if _judgeable(unit) and (arms is None or unit["arm"] in arms)]


def _judgeable(unit: Mapping[str, Any]) -> bool:
    return unit.get("status") == "ok" and bool(unit.get("truth")) and bool(unit.get("expression"))


def _file(folder: Path, key: UnitKey) -> Path:
    return folder / FOLDER / key.task / str(key.seed) / f"{key.arm}.json"


def _key(unit: Mapping[str, Any]) -> UnitKey:
    return UnitKey(unit["task"], unit["seed"], unit["arm"])


def _votes(folder: Path) -> dict[UnitKey, dict[str, Any]]:
    return {_key(record): record for record in _read_all(folder)}


def _read_all(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / FOLDER).glob("*/*/*.json")):
        record = read(path)
        if record is not None and record.get("schema") == SCHEMA:
            yield record


def _current(unit: Mapping[str, Any], votes: Mapping[UnitKey, Mapping[str, Any]]) -> bool:
    return bool(votes.get(_key(unit), {}).get("expression") == unit["expression"])


def _counted(folder: Path, unit: Mapping[str, Any]) -> bool:
    record = read(_file(folder, _key(unit)))
    return record is not None and record.get("expression") == unit["expression"]


def _replaced(unit: Mapping[str, Any], votes: Mapping[UnitKey, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Put the votes in the place of the offline verdict."""
    if not _judgeable(unit):
        return unit
    return {**unit, "representable": "representable" if votes[_key(unit)]["correct"] else "different"}


def _voted(folder: Path, unit: Mapping[str, Any], client: Client, answered: Mapping[str, str]) -> str | None:
    """Collect the votes on one unit; return why they are incomplete, None if they are complete."""
    features = catalogue.get(unit["task"]).feature_names
    try:
        skeleton, request = ballot(client.endpoint.kind, unit["truth"], unit["expression"], features)
    except ExpressionError as error:
        return f"the formula cannot be put to a vote: {error}"
    digest = hashlib.sha256(request.messages[0].text.encode()).hexdigest()[:12]
    words = [f"vote {unit['task']} {unit['seed']} {unit['arm']} {number} {digest}" for number in range(VOTES)]
    with ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(lambda word: _one(client, request, word, answered), words))
    why = next((reason for _, reason in found if reason is not None), None)
    if why is not None:
        return why
    poll = Poll(skeleton, tuple(vote for vote, _ in found if vote is not None), ())
    record = {
        "schema": SCHEMA,
        "task": unit["task"],
        "seed": unit["seed"],
        "arm": unit["arm"],
        "model": client.endpoint.model,
        "expression": unit["expression"],
        "skeleton": skeleton,
        "votes": list(poll.votes),
        "label": poll.label,
        "correct": poll.correct,
    }
    write(_file(folder, _key(unit)), record)
    return None


def _one(
    client: Client, request: Request, word: str, answered: Mapping[str, str]
) -> tuple[Vote | None, str | None]:
    if word in answered:
        return vote_of(answered[word]), None
    try:
        reply = client.complete(request, purpose=word)
    except EngineError as error:
        return None, str(error)
    if reply.status == "failed":
        return None, reply.reason or "no answer"
    return (vote_of(reply.text) if reply.status == "ok" else "unusable"), None

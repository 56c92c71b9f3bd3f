"""Symbolic accuracy by votes (second paper, B.2 and C.2): ten judgments of a skeleton, unanimity counts."""

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

from engine.expression import ExpressionError, Node, Number, Parameter, infix, parse
from engine.expression.nodes import rebuild
from engine.models.client import Client
from engine.models.request import Kind, Message, Reply, Request

# Second paper, B.2.
VOTES = 10
TEMPERATURE = 0.7
MAX_TOKENS = 16384
THREADS = 4

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "answer": {"type": "string", "enum": ["Yes", "No"]},
    },
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}
_PROMPT = """\
A is the ground truth of a symbolic regression task, with all of its constants fixed. B is a hypothesis whose
parameters c0, c1, ... are free. Can some real values of B's parameters make B equivalent to A? Additional
terms of B may vanish by a parameter of 0. Do not reassign the constants of A. Forms that are defined on
different domains are not equivalent.
Think step by step, then answer with one JSON object: {{"reasoning": "...", "answer": "Yes" or "No"}}.

A: {truth}
B: {skeleton}
"""

Vote = Literal["yes", "no", "unusable"]


@dataclass(frozen=True, slots=True)
class Poll:
    """The votes on one pair: correct only when every one of them is yes; mixed and failed polls score 0."""

    skeleton: str
    votes: tuple[Vote, ...]
    replies: tuple[Reply, ...]

    @property
    def correct(self) -> bool:
        """Unanimous yes."""
        return bool(self.votes) and all(vote == "yes" for vote in self.votes)

    @property
    def label(self) -> str:
        """``unanimous yes``, ``unanimous no``, ``mixed`` or ``unusable``."""
        kinds = set(self.votes)
        if "unusable" in kinds or not kinds:
            return "unusable"
        return f"unanimous {self.votes[0]}" if len(kinds) == 1 else "mixed"


def parameterized(prediction: str | Node, features: Sequence[str]) -> str:
    """Replace the fitted constants of a prediction by c0, c1, ...; whole numbers are structure and stay.

    Parameters
    ----------
    prediction : str or Node
        The fitted expression.
    features : sequence of str
        Column names.

    Returns
    -------
    str
        The skeleton.

    Raises
    ------
    ExpressionError
        When the text cannot be read.
    """
    node = parse(prediction, features) if isinstance(prediction, str) else prediction
    count = 0

    def free(current: Node) -> Node:
        nonlocal count
        if isinstance(current, Number) and not current.is_integer:
            count += 1
            return Parameter(count - 1)
        return current

    skeleton = infix(rebuild(node, free), features)
    return re.sub(r"params\[(\d+)\]", r"c\1", skeleton)


def ballot(kind: Kind, truth: str, prediction: str | Node, features: Sequence[str]) -> tuple[str, Request]:
    """Write what one vote is asked.

    Parameters
    ----------
    kind : {'claude', 'openai'}
        Of the endpoint: Claude answers under a schema, and has no temperature.
    truth : str
        Ground truth.
    prediction : str or Node
        Fitted expression; its constants are freed before the model sees it.
    features : sequence of str
        Column names.

    Returns
    -------
    (str, Request)
        The skeleton, and the request.

    Raises
    ------
    ExpressionError
        When the prediction cannot be read.
    """
    skeleton = parameterized(prediction, features)
    request = Request(
        (Message("user", _PROMPT.format(truth=truth, skeleton=skeleton)),),
        MAX_TOKENS,
        schema=SCHEMA if kind == "claude" else None,
        temperature=TEMPERATURE,
    )
    return skeleton, request


def poll(
    client: Client, truth: str, prediction: str | Node, features: Sequence[str], *, votes: int = VOTES
) -> Poll:
    """Ask for votes on whether a prediction's skeleton can represent the truth.

    Parameters
    ----------
    client : Client
        Any model; every raw vote is kept in its journal. Temperature 0.7 applies where models have one.
    truth : str
        Ground truth.
    prediction : str or Node
        Fitted expression; its constants are freed before the model sees it.
    features : sequence of str
        Column names.
    votes : int
        Number of votes.

    Returns
    -------
    Poll
        Raw votes and the outcome; a prediction that cannot be read gets no votes and is not correct.
    """
    try:
        skeleton, request = ballot(client.endpoint.kind, truth, prediction, features)
    except ExpressionError as error:
        return Poll(str(error), (), ())
    with ThreadPoolExecutor(THREADS) as pool:
        replies = tuple(pool.map(lambda _: client.complete(request, purpose="vote"), range(votes)))
    return Poll(skeleton, tuple(map(read_vote, replies)), replies)


def read_vote(reply: Reply) -> Vote:
    """Read one vote out of a reply: the last JSON object with an answer counts."""
    if reply.status != "ok":
        return "unusable"
    return vote_of(reply.text)


def vote_of(text: str) -> Vote:
    """Read one vote out of a model's text."""
    answer = str((_last_object(text) or {}).get("answer", "")).strip().lower()
    if answer == "yes":
        return "yes"
    return "no" if answer == "no" else "unusable"


def _last_object(text: str) -> dict[str, Any] | None:
    decoder = json.JSONDecoder()
    for start in (match.start() for match in reversed(list(re.finditer(r"\{", text)))):
        try:
            value, _ = decoder.raw_decode(text[start:])
        except ValueError:
            continue
        if isinstance(value, dict) and "answer" in value:
            return value
    return None

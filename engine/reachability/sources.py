"""Where proposals come from: a model or a recorded file. Nothing that was answered is asked again."""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.errors import EngineError
from engine.models.caps import Caps, Ledger, spent_before
from engine.models.client import Client
from engine.models.journal import Journal, lines
from engine.models.request import Endpoint, Message, Request
from engine.reachability.prompts import MOST_TOKENS, TEMPERATURE, Question

DEMONSTRATION = Path(__file__).parent / "data" / "proposals_demonstration.jsonl"
"""Menus for 15 tasks, written by hand so that every arm can be run offline; no model proposed them."""
DEMONSTRATED_COMPOSITIONS = DEMONSTRATION.with_name("compositions_demonstration.jsonl")
"""Compositions of those menus, L1, by hand as well."""
ANSWER_SECONDS = 60.0
"""Silence after which a question counts as unanswered."""
THINKING_TOKENS = 16_000
"""Claude's adaptive thinking counts as output: of C.1's 900 tokens it might leave none for the answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it is kept: the key that is never asked twice, and what came back.

    Attributes
    ----------
    task, seed, level
        The key. ``seed`` is None in a recorded file that serves every seed.
    answer
        The model's text; None where no answer came.
    reason
        Why there is none.
    names, symbol
        What inputs and inner constant were called in the question.
    source
        Who answered, for the record: kind, model, whether written for demonstration.
    """

    task: str
    seed: int | None
    level: str
    answer: str | None
    reason: str | None
    names: tuple[str, ...]
    symbol: str
    source: Mapping[str, Any]


class Source(Protocol):
    """Answers a question about one task and seed."""

    def ask(self, task: str, name: str, seed: int, question: Question) -> Asked:
        """Return the answer, or why there is none."""


class ModelSource:
    """A model behind `engine.models`.

    Parameters
    ----------
    client
        Client with its caps and its journal of every attempt.
    seconds
        Longest wait for one answer.
    """

    def __init__(self, client: Client, seconds: float = ANSWER_SECONDS) -> None:
        self.client = client
        self.seconds = seconds

    def ask(self, task: str, name: str, seed: int, question: Question) -> Asked:  # noqa: ARG002
        """Ask once; a model that stays silent too long has not answered."""
        box: list[str | None] = []
        reasons: list[str] = []

        def call() -> None:
            try:
                reply = self.client.complete(
                    self._request(question), purpose=purpose(task, seed, question.level)
                )
            except EngineError as error:
                reasons.append(str(error))
                return
            if reply.status in ("failed", "refused"):
                reasons.append(reply.reason or f"the model's answer: {reply.status}")
            else:
                box.append(reply.text)

        caller = threading.Thread(target=call, name=f"proposals {task} {seed}", daemon=True)
        caller.start()
        caller.join(self.seconds)
        silent = f"no answer within {self.seconds:g} s"
        return Asked(
            task,
            seed,
            question.level,
            box[0] if box else None,
            None if box else (reasons[0] if reasons else silent),
            question.names,
            question.symbol,
            {"kind": self.client.endpoint.kind, "model": self.client.endpoint.model, "demonstration": False},
        )

    def _request(self, question: Question) -> Request:
        claude = self.client.endpoint.kind == "claude"
        return Request(
            (Message("user", question.text),),
            THINKING_TOKENS if claude else MOST_TOKENS,
            system=question.system,
            schema=question.schema if claude else None,
            temperature=TEMPERATURE,
        )


class RecordedSource:
    """Answers from a file: an earlier run's ``proposals.jsonl``, or one written by hand.

    Parameters
    ----------
    path
        JSON lines; each has ``task`` (id or name), ``level``, and ``answer`` (the model's text) or ``atoms``
        (a list); ``seed`` may be absent, for all seeds. A line with ``"demonstration": true`` marks all
        answers of the file as written for demonstration.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.demonstration = False
        self._answers: dict[tuple[str, str, int | None], Mapping[str, Any]] = {}
        for place, line in enumerate(_objects(path), start=1):
            if line.get("demonstration"):
                self.demonstration = True
            if "task" not in line:
                continue
            if line.get("level") not in ("l1", "l2") or not ({"answer", "atoms"} & set(line)):
                raise EngineError(
                    f"{path.name}, line {place}: a proposal needs task, level (l1 or l2) and answer or atoms"
                )
            seed = line.get("seed")
            if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
                raise EngineError(
                    f"{path.name}, line {place}: seed must be a whole number, or absent for all"
                )
            for key in (line["task"], line.get("name")):
                if isinstance(key, str):
                    self._answers[key.lower(), line["level"], seed] = line
        if not self._answers:
            raise EngineError(f"{path.name} holds no proposals; give the file of a run or write one")

    def ask(self, task: str, name: str, seed: int, question: Question) -> Asked:
        """Return the recorded answer."""
        keys = [(word.lower(), question.level, at) for at in (seed, None) for word in (task, name)]
        line = next((self._answers[key] for key in keys if key in self._answers), None)
        source: dict[str, Any] = {"kind": "file", "model": None, "demonstration": self.demonstration}
        if line is None or (line.get("answer") is None and "atoms" not in line):
            why = f"{self.path.name} has no answer for {task}, seed {seed}, {question.level}"
            return Asked(task, seed, question.level, None, why, question.names, question.symbol, source)
        answer = line["answer"] if line.get("answer") is not None else {"atoms": line["atoms"]}
        if not isinstance(answer, str):
            answer = json.dumps(answer)
        recorded = line.get("source")
        if isinstance(recorded, dict):
            source = {**source, "model": recorded.get("model"), "answered_by": recorded.get("kind")}
            source["demonstration"] = self.demonstration or bool(recorded.get("demonstration"))
        names = tuple(line["names"]) if isinstance(line.get("names"), list) else question.names
        symbol = str(line.get("symbol", question.symbol))
        return Asked(task, seed, question.level, answer, None, names, symbol, source)


class Saved:
    """The questions of one output folder: answered ones are never asked again, also after a crash.

    Parameters
    ----------
    folder
        Output folder; ``proposals.jsonl`` holds outcomes, ``calls.jsonl`` is the client's journal.
    """

    def __init__(self, folder: Path) -> None:
        self.journal = Journal(folder / "proposals.jsonl")
        self.calls = folder / "calls.jsonl"
        self.known = {
            (line["task"], int(line["seed"]), line["level"]): asked_from(line)
            for line in lines(self.journal.path)
            if line.get("answer") is not None and line.get("seed") is not None
        }
        self._journaled = {
            str(line["purpose"]): str(line["response"])
            for line in lines(self.calls)
            if line.get("status") not in ("failed", "refused") and line.get("response") is not None
        }

    def ask(self, source: Source, task: str, name: str, seed: int, question: Question) -> Asked:
        """Return the saved answer, or ask and save."""
        key = (task, seed, question.level)
        if key in self.known:
            return self.known[key]
        text = self._journaled.get(purpose(task, seed, question.level))
        if text is not None and isinstance(source, ModelSource):
            origin = {"kind": source.client.endpoint.kind, "model": source.client.endpoint.model}
            asked = Asked(task, seed, question.level, text, None, question.names, question.symbol, origin)
        else:
            asked = source.ask(task, name, seed, question)
        self.journal.append(asked_line(asked, name, question))
        if asked.answer is not None:
            self.known[key] = asked
        return asked


def purpose(task: str, seed: int, level: str) -> str:
    """Return the word by which the journal of calls knows a question."""
    return f"proposals {task} {seed} {level}"


def asked_line(asked: Asked, name: str, question: Question) -> dict[str, Any]:
    """Return the line that keeps a question and its outcome."""
    return {
        "schema": 1,
        "task": asked.task,
        "name": name,
        "seed": asked.seed,
        "level": asked.level,
        "answer": asked.answer,
        "reason": asked.reason,
        "names": list(asked.names),
        "symbol": asked.symbol,
        "source": dict(asked.source),
        "prompt": question.text,
    }


def asked_from(line: Mapping[str, Any]) -> Asked:
    """Read what `asked_line` wrote."""
    return Asked(
        line["task"],
        line["seed"],
        line["level"],
        line["answer"],
        line.get("reason"),
        tuple(line["names"]),
        line["symbol"],
        line["source"],
    )


def model_source(
    endpoint: Endpoint, caps: Caps, folder: Path, seconds: float = ANSWER_SECONDS
) -> ModelSource:
    """Open a model for an output folder, what the folder's earlier calls used counted against the caps."""
    journal = folder / "calls.jsonl"
    ledger = Ledger(caps, endpoint.price, spent_before(lines(journal)))
    return ModelSource(Client(endpoint, ledger, Journal(journal)), seconds)


def _objects(path: Path) -> Iterable[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EngineError(f"the proposals file {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise EngineError(f"the proposals file {path} is not UTF-8 text: give JSON lines") from error
    found = []
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise EngineError(f"{path.name}, line {place}: not JSON ({error})") from error
        if not isinstance(value, dict):
            raise EngineError(f"{path.name}, line {place}: not a JSON object")
        found.append(value)
    return found

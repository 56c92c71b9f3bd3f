"""The Claude judge of appendix E.3 and I.2: simplification, equivalence and structure, each stateless."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.expression import ExpressionError, parse, variables
from engine.judging import prompts
from engine.judging.deterministic import judge
from engine.judging.judges import Question
from engine.judging.records import FOLDER
from engine.judging.verdict import Verdict
from engine.models.batches import EXPECTED_OUTPUT_TOKENS, Batches
from engine.models.caps import CHARACTERS_PER_TOKEN, Caps, Ledger, spent_before
from engine.models.client import Client, request_hash
from engine.models.journal import Journal, lines
from engine.models.request import (
    JUDGE_EFFORT,
    JUDGE_MAX_TOKENS,
    JUDGE_MODEL,
    Endpoint,
    Message,
    Reply,
    Request,
    Usage,
    sha256,
)
from engine.scoring.processing import Expression, Processed
from engine.scoring.work import Work

CALLS = "model_calls.jsonl"
# Requests of one batch: small enough that what is answered is frozen before long.
BATCH = 500
THREADS = 4
# Length of a request beside its expressions, in tokens; for estimates only.
_PROMPT_TOKENS = 600


@dataclass(frozen=True, slots=True)
class Asker:
    """Sends requests in batches or one by one, within the caps of a campaign."""

    endpoint: Endpoint
    ledger: Ledger
    journal: Journal
    batched: bool

    def ask(self, requests: Sequence[Request], purpose: str) -> Iterator[tuple[int, Reply]]:
        """Yield (place, reply) for every request, each as soon as it is known.

        Raises
        ------
        CapReachedError
            When a cap is reached; what was yielded before stays.
        """
        if self.batched:
            batches = Batches(self.endpoint, self.ledger, self.journal)
            for start in range(0, len(requests), BATCH):
                part = requests[start : start + BATCH]
                replies = batches.complete(part, purpose=purpose)
                for place, request in enumerate(part, start):
                    yield place, replies[request_hash(self.endpoint, request)]
            return
        client = Client(self.endpoint, self.ledger, self.journal)
        with ThreadPoolExecutor(THREADS) as pool:
            calls = [pool.submit(client.complete, request, purpose=purpose) for request in requests]
            try:
                for place, call in enumerate(calls):
                    yield place, call.result()
            finally:
                for call in calls:
                    call.cancel()


class ModelJudge:
    """Judges pairs by a model, with the deterministic judge's evidence attached to every request."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    @property
    def name(self) -> str:
        """Short name for tables."""
        return f"model {self._asker.endpoint.model}"

    def dependencies(self, question: Question) -> Mapping[str, Any]:
        """Return model, settings, prompt and schema versions with the question itself."""
        return {**_protocol(self._asker.endpoint), **question.record()}

    def decide(self, questions: Sequence[Question]) -> Iterator[tuple[Question, Verdict]]:
        """Ask for every question; a reply of no use is ``undetermined`` with its reason."""
        evidence = [judge(q.a, q.b, q.features, domain=q.bounds()) for q in questions]
        requests = [
            _request(prompts.comparison(question, found), prompts.VERDICT_SCHEMA)
            for question, found in zip(questions, evidence, strict=True)
        ]
        for kind in ("equivalence", "structure"):
            places = [place for place, question in enumerate(questions) if question.kind == kind]
            for position, reply in self._asker.ask([requests[place] for place in places], kind):
                place = places[position]
                yield questions[place], _verdict(reply, evidence[place])


class ModelSimplifier:
    """Simplifies by a model; a candidate that cannot be read or changes the meaning is not taken."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def dependencies(self, expression: Expression) -> Mapping[str, Any]:
        """Return model, settings, prompt and schema versions with the expression itself."""
        return {
            **_protocol(self._asker.endpoint),
            "kind": "simplify",
            "text": expression.text,
            "features": list(expression.features),
            "domain": [list(bound) for bound in expression.domain],
        }

    def process(self, expressions: list[Expression]) -> Iterator[tuple[Expression, Processed]]:
        """Ask for every expression; an unable outcome keeps the original and says so."""
        requests = [
            _request(
                prompts.simplification(e.text, e.features, e.domain, "none"), prompts.SIMPLIFICATION_SCHEMA
            )
            for e in expressions
        ]
        for place, reply in self._asker.ask(requests, "simplify"):
            yield expressions[place], _processed(reply, expressions[place])


def claude_judge(
    campaign: Path,
    caps: Caps,
    *,
    model: str | None = None,
    base_url: str | None = None,
    batched: bool = True,
) -> tuple[ModelJudge, ModelSimplifier]:
    """Return the paper's judge and simplifier for a campaign.

    Parameters
    ----------
    campaign : Path
        Every attempt is kept in its ``judgments/model_calls.jsonl``, which also says what was spent before.
    caps : Caps
        Bounds over all sessions of the campaign.
    model : str, optional
        Model id; the paper's when omitted.
    base_url : str, optional
        Server; Anthropic's own when omitted.
    batched : bool
        Message Batches, at half the price; otherwise streamed single turns.

    Returns
    -------
    (ModelJudge, ModelSimplifier)
        Both spend from the same caps.
    """
    endpoint = Endpoint("claude", model or JUDGE_MODEL, base_url)
    journal = Journal(campaign / FOLDER / CALLS)
    ledger = Ledger(caps, endpoint.price, spent_before(lines(journal.path)))
    asker = Asker(endpoint, ledger, journal, batched)
    return ModelJudge(asker), ModelSimplifier(asker)


def estimate(work: Work, *, model: str | None, batched: bool) -> dict[str, Any]:
    """Estimate what judging a campaign would cost.

    Parameters
    ----------
    work : Work
        Distinct expressions and pairs.
    model : str, optional
        Model id; the paper's when omitted.
    batched : bool
        Whether the batch price applies.

    Returns
    -------
    dict
        Calls, tokens, dollars (None where the price is unknown) and one sentence.
    """
    endpoint = Endpoint("claude", model or JUDGE_MODEL)
    calls = work.expressions + work.pairs
    read = calls * _PROMPT_TOKENS + work.characters // CHARACTERS_PER_TOKEN
    usage = Usage(read, calls * EXPECTED_OUTPUT_TOKENS, estimated=True)
    cost = usage.cost(endpoint.price, batch=batched)
    price = "at an unknown price" if cost is None else f"about ${cost:.2f}"
    sentence = (
        f"at most {calls} calls of {endpoint.model} ({work.expressions} simplifications, {work.pairs} "
        f"pairs), {price}, if a call takes {EXPECTED_OUTPUT_TOKENS} output tokens"
    )
    return {
        "model": endpoint.model,
        "calls": calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": cost,
        "sentence": sentence,
    }


def _protocol(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "judge": "model",
        "model": endpoint.model,
        "prompt_version": prompts.PROMPT_VERSION,
        "prompt_sha256": sha256(prompts.templates()),
        "schema_version": prompts.SCHEMA_VERSION,
        "effort": JUDGE_EFFORT,
        "max_tokens": JUDGE_MAX_TOKENS,
    }


def _request(text: str, schema: Mapping[str, Any]) -> Request:
    return Request((Message("user", text),), JUDGE_MAX_TOKENS, schema=schema, effort=JUDGE_EFFORT)


def _hashes(reply: Reply) -> str:
    return f"request {reply.request_sha256[:16]}, response {(reply.response_sha256 or 'none')[:16]}"


def _verdict(reply: Reply, evidence: Verdict) -> Verdict:
    if reply.status != "ok":
        return Verdict("undetermined", "none", f"{reply.status}: {reply.reason} ({_hashes(reply)})")
    word, why = reply.content["verdict"], reply.content["justification"]
    against = ""
    if word == "equivalent" and evidence.witness is not None:
        against = "; the deterministic judge found a witness against it"
    return Verdict(word, "model", f"{why} ({_hashes(reply)}){against}", evidence.witness)


def _processed(reply: Reply, original: Expression) -> Processed:
    if reply.status != "ok":
        return Processed(original.text, "unable", f"{reply.status}: {reply.reason}")
    outcome, candidate = reply.content["outcome"], reply.content["expression"]
    if outcome != "simplified" or not candidate:
        reason = reply.content["justification"] if outcome == "unable" else None
        return Processed(original.text, "unable" if outcome == "unable" else "unchanged", reason)
    try:
        node = parse(candidate, original.features)
        known = variables(parse(original.text, original.features))
    except ExpressionError as error:
        return Processed(original.text, "unable", f"the model's expression cannot be read: {error}")
    if not variables(node) <= known:
        return Processed(original.text, "unable", "the model's expression has variables of its own")
    bounds = {name: (low, high) for name, low, high in original.domain} or None
    compared = judge(original.text, node, original.features, domain=bounds)
    if compared.witness is not None:
        return Processed(original.text, "unable", f"the model's expression differs: {compared.detail}")
    return Processed(candidate, "simplified", f"{compared.verdict} ({compared.evidence})")

"""What the ``expr`` commands answer for one row each."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from arena_tui.commands.expr_rows import (
    THREADS,
    Row,
    answered,
    as_json,
    as_text,
    declared,
    point,
    rows,
    text_of,
)
from engine.errors import EngineError
from engine.expression import ExpressionError, Node, evaluate, infix, latex, numpy_source, parse, sympy_source
from engine.expression.names import inferred
from engine.expression.nodes import depth, parameters, size, variables

# SymPy may hang on any text; every job of one row ends within these seconds.
TREE_SECONDS = 5.0
JUDGE_SECONDS = 10.0


def _features(row: Row, *texts: str) -> tuple[str, ...]:
    given = row.get("features")
    if given is None:
        return inferred(texts, row["dialect"])
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise EngineError('the "features" of a row are a list of names')
    return tuple(given)


def _read(row: Row, field: str = "expression") -> tuple[Node, tuple[str, ...]]:
    text = text_of(row, field)
    try:
        features = _features(row, text)
        return parse(text, features, row["dialect"], params=row.get("params")), features
    except ExpressionError as error:
        raise EngineError(f"the {field} cannot be read: {error}") from None


def _answer(arguments: argparse.Namespace, answer: Callable[[Row], Row], *fields: str, together: bool) -> int:
    """Answer every row; a row that cannot be answered is an error alone, and a status in a file."""
    failures = 0

    def guarded(row: Row) -> Row:
        nonlocal failures
        try:
            return answer(row)
        except (EngineError, ExpressionError) as error:
            if arguments.file is None:
                raise EngineError(str(error)) from None
            failures += 1
            return {"status": "error", "reason": str(error)}

    write = as_json if arguments.json else as_text
    answered(guarded, rows(arguments, *fields), write, together=together and arguments.file is not None)
    return 1 if failures else 0


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def evaluated(arguments: argparse.Namespace) -> int:
    """Evaluate at a point or over a table."""

    def answer(row: Row) -> Row:
        node, features = _read(row)
        if arguments.data is not None:
            table = _table(Path(arguments.data), features)
        else:
            at = row.get("at") or (point(arguments.at) if arguments.at else {})
            used = sorted(features[index] for index in variables(node))
            missing = [name for name in used if name not in at]
            if missing:
                raise EngineError(
                    f"no value is given for {', '.join(missing)}; use --at {missing[0]}=1 or --data"
                )
            table = np.array([[float(at.get(name, math.nan)) for name in features]])
        values = evaluate(node, table)
        status = "ok" if np.isfinite(values).all() else "nonfinite"
        if parameters(node):
            status = "open constants"
        found: Row = {"status": status}
        if len(values) == 1:
            found["value"] = _finite(float(values[0]))
        else:
            found |= {"rows": len(values), "nonfinite": int((~np.isfinite(values)).sum())}
            found["values"] = [_finite(float(value)) for value in values]
        return found

    return _answer(arguments, answer, "expression", together=False)


def _table(path: Path, features: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        elif path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                return np.asarray(arrays["X"], dtype=np.float64)
        else:
            frame = pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",")
    except (OSError, ValueError, KeyError) as error:
        raise EngineError(f"{path} cannot be read as a table: {str(error).splitlines()[0]}") from None
    missing = [name for name in features if name not in frame.columns]
    if missing:
        raise EngineError(f"{path} has no column {missing[0]!r}; it has {', '.join(map(str, frame.columns))}")
    return frame[list(features)].to_numpy(dtype=np.float64)


def shown(arguments: argparse.Namespace) -> int:
    """Show an expression in every form."""
    from engine.expression.canonical import canonical_tree
    from engine.expression.children import Children

    # Not the shared pool: that one also loads the compiled tree distance, which is not needed here.
    pool = Children(count=THREADS)

    def answer(row: Row) -> Row:
        node, features = _read(row)
        found: Row = {
            "infix": infix(node, features),
            "positional": infix(node, [f"x{place}" for place in range(len(features))]),
            "latex": latex(node, features),
            "numpy": numpy_source(node, features),
            "sympy": sympy_source(node, features),
            "variables": [features[index] for index in sorted(variables(node))],
            "nodes": size(node),
            "depth": depth(node),
        }
        try:
            built = canonical_tree(node, features, children=pool, seconds=TREE_SECONDS)
        except ExpressionError as error:
            return found | {"complexity": None, "status": str(error)}
        return found | {
            "complexity": built.complexity,
            "operators": sorted(built.operators),
            "evaluated": built.evaluated,
            "sympy_version": built.sympy,
            "status": "ok",
        }

    with pool:
        return _answer(arguments, answer, "expression", together=True)


def simplified(arguments: argparse.Namespace) -> int:
    """Simplify within the limit."""
    from engine.expression.children import Children
    from engine.expression.simplify import simplify

    pool = Children(count=THREADS)

    def answer(row: Row) -> Row:
        node, features = _read(row)
        text = infix(node, features)
        found = simplify(text, features, seconds=arguments.seconds, domain=declared(row), children=pool)
        return {
            "expression": found.text,
            "status": found.status,
            "complexity": found.complexity,
            "original_complexity": found.original_complexity,
            "extended": found.extended,
            "reason": found.reason,
            "seconds": round(found.seconds, 3),
        }

    with pool:
        return _answer(arguments, answer, "expression", together=True)


def compared(arguments: argparse.Namespace) -> int:
    """Judge a pair and say how alike the two are."""
    from engine.expression.children import shared
    from engine.expression.similarity import compare
    from engine.judging.deterministic import judge

    def answer(row: Row) -> Row:
        texts = [text_of(row, field) for field in ("a", "b")]
        features = _features(row, *texts)
        a, b = (infix(parse(text, features, row["dialect"]), features) for text in texts)
        verdict = judge(a, b, features, domain=declared(row), seconds=JUDGE_SECONDS)
        outcome = shared().run(compare, a, b, features, seconds=TREE_SECONDS)
        found: Row = {
            "verdict": verdict.verdict,
            "evidence": verdict.evidence,
            "detail": verdict.detail,
            "witness": None if verdict.witness is None else dict(verdict.witness.point),
            "value_a": None if verdict.witness is None else verdict.witness.a,
            "value_b": None if verdict.witness is None else verdict.witness.b,
        }
        if outcome.status != "ok":
            return found | {"status": f"similarity: {outcome.reason}"}
        alike = outcome.value
        return found | {
            "C_a": alike.reference_complexity,
            "C_b": alike.predicted_complexity,
            "tree_similarity": alike.tree,
            "variable_f1": alike.variables,
            "operator_f1": alike.operators,
            "status": "ok",
        }

    return _answer(arguments, answer, "a", "b", together=True)


def scored(arguments: argparse.Namespace) -> int:
    """Score a prediction against a truth."""
    from arena_tui.commands.expr_score import score_row

    def answer(row: Row) -> Row:
        truth, prediction = text_of(row, "truth"), row.get("prediction")
        features = _features(row, truth, *([prediction] if isinstance(prediction, str) else []))
        return score_row(
            truth,
            prediction if isinstance(prediction, str) else "",
            features,
            dialect=row["dialect"],
            domain=declared(row),
            simplified=arguments.simplify,
        )

    return _answer(arguments, answer, "truth", "prediction", together=True)

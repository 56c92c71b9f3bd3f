"""What DrSR adds to the prompts: a single-line return, the residual matrix, outcomes as guidance."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Appendix I.1, verbatim: the wording is part of the method.
SINGLE_LINE = (
    "Write the final formula as a single-line return statement only.\n"
    "Example: return params[0] + params[1] * x0 + params[2] * x1"
)
LONGEST_GUIDANCE = 1500  # characters of an analysis that go into later prompts


def residual_question(
    features: Sequence[str], target: str, body: str, X: NDArray[np.float64], y: NDArray[np.float64],
    predicted: NDArray[np.float64], rows: int,
) -> str:  # fmt: skip
    """Ask for an analysis of the matrix [X, y, y - y_pred], every value to three decimals (I.1).

    Parameters
    ----------
    features, target : sequence of str, str
        Names the method sees.
    body : str
        The current expression.
    X, y, predicted : ndarray
        (n, d), (n,) and (n,) on the training rows.
    rows : int
        How many of them are shown, evenly spaced.

    Returns
    -------
    str
    """
    chosen = np.unique(np.linspace(0, len(y) - 1, min(rows, len(y))).round().astype(int))
    matrix = np.column_stack([X, y, y - predicted])[chosen]
    lines = [" ".join(f"{value:.3f}" for value in row) for row in matrix.tolist()]
    return "\n".join(
        [
            f"A candidate formula for {target} was fitted to data. Columns: {', '.join(features)}, {target},",
            f"{target} minus prediction.",
            *lines,
            "The candidate:",
            body,
            "Say in at most six short sentences what the residuals show: the inputs they depend on, trends,",
            "periods, saturation, and which term should be added, removed or changed. No code.",
        ]
    )


def experience_question(outcomes: Sequence[tuple[str, str]]) -> str:
    """Ask to condense outcomes into guidance.

    Parameters
    ----------
    outcomes : sequence of (str, str)
        What happened (``improved``, ``no better``, or why it failed) and the formula.

    Returns
    -------
    str
    """
    lines = [f"- {what}: {formula.strip()}" for what, formula in outcomes]
    return "\n".join(
        [
            "These formulas were tried on the same data, with constants params fitted each time:",
            *lines,
            "Condense what was learned into at most five short rules for the next formulas: structures to",
            "keep, structures to avoid, mistakes to avoid. No code.",
        ]
    )


def guidance(heading: str, text: str) -> str:
    """Return an analysis as a part of a generation prompt, empty if there is none."""
    text = text.strip()[:LONGEST_GUIDANCE]
    return f"{heading}:\n{text}" if text else ""

"""Reads the files that DrSR leaves: one for each new best function, with its fitted constants."""

import json
from pathlib import Path

from adapters.interface import Equation

BEST_HISTORY = "best_history"


def read_best(folder: Path) -> list[Equation]:
    """Return the best functions so far, from worst to best; a file that is being written is left out.

    Parameters
    ----------
    folder : pathlib.Path
        The experiment folder of one run.
    """
    found = []
    for file in (folder / BEST_HISTORY).glob("best_sample_*.json"):
        try:
            entry = json.loads(file.read_text(encoding="utf-8"))
            score, source = float(entry["score"]), str(entry["function"]).strip()
        except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError):
            continue
        values = entry.get("params")
        text = source if values is None else f"params = {[float(v) for v in values]!r}\n{source}"
        found.append(Equation(text, source, score, "minus mse", int(entry.get("sample_order") or 0)))
    return sorted(found, key=lambda equation: (equation.score or 0.0, equation.evaluations or 0))

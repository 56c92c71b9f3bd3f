"""The paper's own six-axis results, restated as data: reference rows beside one's own, always marked as such.

Tables 2 (clean), 14 (1 % noise) and 15 (5 % noise) of the first paper, Core50, three hours, seeds 520-522.
Table 13 follows from them.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.scoring.rows import AXES

MARK = "published"
_FILE = Path(__file__).with_name("published.tsv")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One method's published scores under one condition, on the 0 to 100 display scale."""

    condition: str
    paradigm: str
    algorithm: str
    axes: dict[str, float]


@cache
def published() -> tuple[PublishedRow, ...]:
    """Return every published row in the paper's order."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            PublishedRow(
                row["condition"], row["paradigm"], row["algorithm"], {axis: float(row[axis]) for axis in AXES}
            )
            for row in csv.DictReader(file, delimiter="\t")
        )

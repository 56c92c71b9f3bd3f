"""What verification says about a task and about many: findings, rows that disagree, a summary."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

OK, FAILED, DISPUTED = "ok", "failed", "disputed"
SHOWN_ROWS = 5
"""Disagreeing rows kept with a finding, the worst first; their number is always kept."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row that disagrees: its number in the split from 0, the stored and the recomputed value."""

    row: int
    stored: float | None
    recomputed: float | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or warning.

    ``check`` is one of parse, columns, sizes, finite, ranges, outside, replay, residual, normalized, digest,
    reproducible, discrete, precision, duplicate; ``count`` is the number of rows concerned.
    """

    check: str
    split: str | None
    message: str
    count: int = 0
    worst: float | None = None
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What verification found on one task; a task fails by its faults, warnings only tell."""

    id: str
    name: str
    family: str
    rows: int
    worst_disagreement: float | None
    faults: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """``ok``, ``disputed`` when nothing but the formula is at odds with the data, or ``failed``."""
        if not self.faults:
            return OK
        return DISPUTED if all(fault.check == "replay" for fault in self.faults) else FAILED

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {**asdict(self), "status": self.status}


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over many reports, and what only shows when tasks are seen together."""

    reports: tuple[Report, ...]
    pool: tuple[str, ...] = ()
    """Failures of the pool's declared counts, one sentence each."""
    duplicates: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def failed(self) -> int:
        """Number of tasks that are not ``ok``."""
        return sum(report.status != OK for report in self.reports)

    @property
    def sound(self) -> bool:
        """Whether every task and the pool passed."""
        return self.failed == 0 and not self.pool

    def as_json(self) -> dict[str, Any]:
        """Return the summary as plain JSON values: counts first, one report per task last."""
        return {
            "tasks": len(self.reports),
            "failed": self.failed,
            "ok": sum(report.status == OK for report in self.reports),
            "disputed": sum(report.status == DISPUTED for report in self.reports),
            "warnings": sum(len(report.warnings) for report in self.reports),
            "rows": sum(report.rows for report in self.reports),
            "pool": list(self.pool),
            "duplicates": self.duplicates,
            "seconds": round(self.seconds, 2),
            "reports": [report.as_json() for report in self.reports],
        }


def number(value: float) -> float | None:
    """Return a value as JSON may hold it: ``None`` where it is not finite."""
    return float(value) if math.isfinite(value) else None


def sentence(finding: Finding) -> str:
    """Return a finding as one line for people, with the worst row where there is one."""
    place = f" [{finding.split}]" if finding.split else ""
    worst = ""
    if finding.rows:
        first = finding.rows[0]
        worst = f"; worst row {first.row}: stored {first.stored!r}, recomputed {first.recomputed!r}"
    return f"{finding.check}{place}: {finding.message}{worst}"


def merged(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings in a stable order: by check, then by split."""
    return tuple(sorted(findings, key=lambda finding: (finding.check, finding.split or "")))

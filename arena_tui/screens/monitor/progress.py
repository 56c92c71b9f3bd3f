"""The campaign in one line: how far it is, what runs, what failed, how fast, how long still."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from arena_tui.screens.monitor.rows import FAILED, LIVE
from arena_tui.widgets import numbers

if TYPE_CHECKING:
    from engine.running.reader import Campaign

_HOUR_S = 3600.0
_BAR = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of a campaign's runs, and an estimate of the seconds that are left (None when unknown)."""

    total: int
    ended: int
    live: int
    failed: int
    cancelled: int
    per_hour: float | None
    left_s: float | None

    @property
    def finished(self) -> bool:
        """Whether every run has ended."""
        return self.total > 0 and self.ended == self.total


def measure(campaign: "Campaign") -> Progress:
    """Count a campaign's runs and estimate what is left.

    Parameters
    ----------
    campaign : Campaign
        As the reader gives it.

    Returns
    -------
    Progress
        The estimate takes each method's mean time per run that ended by itself, the budget where none has
        ended yet, and the spec's number of workers.
    """
    states = Counter(run.status for run in campaign.runs)
    live = sum(states[state] for state in LIVE)
    ended = sum(1 for run in campaign.runs if run.ended)
    times: dict[str, list[float]] = {}
    for run in campaign.runs:
        if run.ended and run.status != "cancelled" and run.elapsed is not None:
            times.setdefault(run.label, []).append(run.elapsed)
    left = 0.0
    for run in campaign.runs:
        if not run.ended:
            known = times.get(run.label)
            typical = sum(known) / len(known) if known else run.budget
            left += max(0.0, typical - (run.elapsed or 0.0))
    workers = max(1, campaign.spec.limits.workers)
    every = [seconds for known in times.values() for seconds in known]
    mean = sum(every) / len(every) if every else 0.0
    return Progress(
        total=len(campaign.runs),
        ended=ended,
        live=live,
        failed=sum(states[state] for state in FAILED),
        cancelled=states["cancelled"],
        per_hour=_HOUR_S * workers / mean if mean > 0 and ended < len(campaign.runs) else None,
        left_s=left / workers if ended < len(campaign.runs) else None,
    )


def bar(share: float, width: int) -> tuple[str, str]:
    """Draw a bar.

    Parameters
    ----------
    share : float
        0 to 1.
    width : int
        Cells.

    Returns
    -------
    tuple of str
        The filled part and the rest.
    """
    filled = max(0, min(width, int(share * width + 1e-9)))
    return "━" * filled, "─" * (width - filled)


class ProgressLine(Static):
    """Shows a ``Progress``, and whether what is seen is old or held."""

    DEFAULT_CSS = """
    ProgressLine { height: 1; padding: 0 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, found: Progress, *, narrow: bool, note: str = "") -> None:
        """Show another state.

        Parameters
        ----------
        found : Progress
            What was counted.
        narrow : bool
            Leave the rate out.
        note : str
            A remark at the end, such as since when nothing could be read.
        """
        full, rest = bar(found.ended / found.total if found.total else 0.0, 10 if narrow else _BAR)
        parts: list[tuple[str, str]] = [
            (full, "$good"),
            (rest, "$quiet"),
            (f" {found.ended}/{found.total}", "bold"),
            (f"  ▸{found.live} running" if found.live else "", "$live"),
            (f"  ✗{found.failed} failed" if found.failed else "", "$bad"),
            (f"  –{found.cancelled} cancelled" if found.cancelled else "", "$quiet"),
        ]
        if found.finished:
            parts.append(("  all ended", "$good"))
        elif found.left_s is not None and found.live:
            parts.append((f"  about {numbers.duration(found.left_s)} left", ""))
            if found.per_hour is not None and not narrow:
                parts.append((f"  {found.per_hour:.3g} runs/h", "$quiet"))
        if note:
            parts.append((f"  {note}", "$fair"))
        self.update(Content.assemble(*parts))

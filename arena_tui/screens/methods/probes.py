"""The probe panel: usability of every candidate, a panel of four with its live U, and the paradigm rule."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll

from arena_tui.widgets.facts import Facts
from arena_tui.widgets.table import Column, Row, Table

if TYPE_CHECKING:
    from engine.distilling.panels import Ranking

_BAR = 10
_BEST = 3


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the records say: H, finite rate and explosion rate of each candidate, paradigms, ranked panels."""

    source: str
    H: dict[str, Fraction]
    finite: dict[str, float]
    exploded: dict[str, float]
    paradigms: dict[str, str]
    ranking: "Ranking"


def read_candidates(source: Path) -> Candidates:
    """Compute usability and rank all panels. Blocks; call it beside the loop.

    Parameters
    ----------
    source : pathlib.Path
        A table of runs on the calibration tasks, or a campaign's folder.

    Returns
    -------
    Candidates
        At alpha = 0.5 and tau = 100 (paper 1, C.2).

    Raises
    ------
    EngineError
        When a run is missing or there twice, or a candidate's paradigm is not known.
    """
    from engine.distilling import panels, usability
    from engine.distilling.records import read_records
    from engine.errors import EngineError

    found = usability.gather(read_records(source))
    H = usability.usability(found)
    paradigms = panels.paradigms_of(found.methods, _own_paradigms(source, found.methods))
    finite, exploded = found.available.mean(axis=0), found.explosions(usability.DEFAULT_TAU).mean(axis=0)
    try:
        ranking = panels.rank_panels(H, paradigms)
    except EngineError:
        # Too few candidates or paradigms for a panel: their usability can be read all the same.
        ranking = panels.Ranking((), math.comb(len(H), panels.PANEL_SIZE))
    return Candidates(
        source.name,
        H,
        {name: float(share) for name, share in zip(found.methods, finite, strict=True)},
        {name: float(share) for name, share in zip(found.methods, exploded, strict=True)},
        paradigms,
        ranking,
    )


def _own_paradigms(source: Path, labels: Sequence[str]) -> dict[str, str]:
    """Look up the paradigm of what the paper did not try: by label, or by the method behind a label."""
    from engine.distilling.usability import PARADIGMS
    from engine.methods import registry
    from engine.running import reader

    behind = {label: label for label in labels}
    if source.is_dir():
        behind |= {run.key.label: run.method for run in reader.read_campaign(source).runs}
    known = registry.names()
    found = {}
    for label, method in behind.items():
        if label in PARADIGMS:
            continue
        if method in PARADIGMS:
            found[label] = PARADIGMS[method]
        elif method in known:
            found[label] = registry.get(method).paradigm.removesuffix(" Search").lower()
    return found


def _share(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else ""


COLUMNS = (
    Column("method", "candidate", 10, grow=1),
    Column("paradigm", "paradigm", 13, grow=1),
    Column("finite", "finite q", 8, right=True, show=_share),
    Column("exploded", "b100", 6, right=True, show=_share),
    Column("H", "H", 8, right=True, show=lambda value: f"{value:.6f}" if isinstance(value, float) else ""),
    Column(
        "bar",
        "",
        _BAR,
        show=lambda value: "━" * round(value * _BAR) if isinstance(value, float) else "",
        tone=lambda _value: "live",
    ),
)


def panel_facts(found: Candidates, members: frozenset[str]) -> list[tuple[str, object]]:
    """Judge a panel.

    Parameters
    ----------
    found : Candidates
        From ``read_candidates``.
    members : frozenset of str
        The candidates that were chosen.

    Returns
    -------
    list of (str, object)
        Its U, the paradigm rule, its rank, and the best panels beside it.
    """
    from engine.distilling.panels import LEAST_PARADIGMS, PANEL_SIZE

    kinds = sorted({found.paradigms[name] for name in members})
    kept = len(kinds) >= LEAST_PARADIGMS
    facts: list[tuple[str, object]] = [
        (f"Panel of {PANEL_SIZE}   Space puts a candidate in or out, n plans a campaign of them", ""),
        ("members", ", ".join(sorted(members)) or "none"),
        (
            "paradigms",
            f"{'✓' if kept else '✗'} {len(kinds)} of at least {LEAST_PARADIGMS}: {', '.join(kinds)}",
        ),
    ]
    if len(members) == PANEL_SIZE:
        total = sum((found.H[name] for name in members), Fraction(0)) / PANEL_SIZE
        rank = found.ranking.rank_of(members)
        facts.append(("U", f"{float(total):.6f} ({total})"))
        known = len(found.ranking.panels)
        facts.append(("rank", f"{rank} of {known} feasible" if rank else "✗ not feasible: too few paradigms"))
    else:
        so_far = f", mean H {float(sum((found.H[name] for name in members), Fraction(0)) / len(members)):.6f}"
        facts.append(("U", f"chosen {len(members)} of {PANEL_SIZE}{so_far if members else ''}"))
    best = found.ranking.panels[:_BEST]
    facts.append(("Best panels" if best else "No panel of these covers enough paradigms", ""))
    facts += [(f"{panel.rank}  {float(panel.U):.6f}", ", ".join(panel.members)) for panel in best]
    facts.append(
        ("from", f"{found.source}: {len(found.ranking.panels)} of {found.ranking.enumerated} panels feasible")
    )
    facts.append(
        ("H", "(finite + 1 - b100) / 2: tasks with three finite errors; tasks with an error over 100")
    )
    return facts


class ProbePanel(Vertical):
    """Shows the candidates and the chosen panel. ``toggle`` puts the candidate under the cursor in or out."""

    DEFAULT_CSS = """
    ProbePanel {
        height: 1fr;
        & > Table { height: 1fr; min-height: 4; }
        & > VerticalScroll {
            border-top: solid $quiet 60%; height: auto; max-height: 60%; scrollbar-size: 1 1;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._found: Candidates | None = None

    def compose(self) -> ComposeResult:
        """Lay out the table and the judgement."""
        yield Table(
            COLUMNS, empty="no records yet: b names a table of runs or a campaign",
            sort="H", descending=True, pinned=1, id="candidates",
        )  # fmt: skip
        with VerticalScroll():
            yield Facts(id="panel")

    @property
    def loaded(self) -> bool:
        """Whether there are candidates."""
        return self._found is not None

    def load(self, found: Candidates) -> None:
        """Show candidates, with the best panel chosen.

        Parameters
        ----------
        found : Candidates
            From ``read_candidates``.
        """
        self._found = found
        table = self.query_one(Table)
        table.load(
            [
                Row(
                    name,
                    {
                        "method": name,
                        "paradigm": found.paradigms[name],
                        "finite": found.finite[name],
                        "exploded": found.exploded[name],
                        "H": float(H),
                        "bar": float(H),
                    },
                )
                for name, H in found.H.items()
            ]
        )
        table.set_marks(found.ranking.panels[0].members if found.ranking.panels else ())
        self._judge()

    @property
    def members(self) -> list[str]:
        """The chosen candidates, by name."""
        return sorted(self.query_one(Table).marks)

    def toggle(self) -> None:
        """Put the candidate under the cursor into the panel, or take it out."""
        self.query_one(Table).action_mark()
        self._judge()

    def _judge(self) -> None:
        if self._found is not None:
            chosen = frozenset(self.query_one(Table).marks)
            self.query_one(Facts).show(panel_facts(self._found, chosen))

    def take_focus(self) -> None:
        """Let the keys go to the candidates."""
        self.query_one(Table).focus()

    def as_text(self) -> str:
        """Write candidates and panel as plain text."""
        return f"{self.query_one(Table).as_tsv()}\n{self.query_one(Facts).as_text()}\n"

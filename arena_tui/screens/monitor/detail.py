"""One run in words: how it ended, what it found, what that simplifies to, how far it is from the truth."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from arena_tui.screens.monitor import rows as run_rows
from arena_tui.widgets import numbers
from arena_tui.widgets.expression import ExpressionView
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.sparkline import spark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.running.records import Run, Sample

_SPARK = 24


@dataclass(frozen=True, slots=True)
class Resources:
    """CPU use and memory over a run's telemetry, ready to be drawn."""

    cpu: tuple[float, ...]
    rss: tuple[float, ...]
    threads: int


def resources(samples: "Sequence[Sample]", threads: int) -> Resources:
    """Turn telemetry into CPU use between samples and memory at samples.

    Parameters
    ----------
    samples : sequence of Sample
        In time order.
    threads : int
        Threads the run was allowed.

    Returns
    -------
    Resources
        CPU in cores, memory in bytes.
    """
    cpu = [
        max(0.0, (after.cpu_s - before.cpu_s) / (after.t - before.t))
        for before, after in pairwise(samples)
        if after.t > before.t
    ]
    return Resources(tuple(cpu), tuple(float(sample.rss) for sample in samples), threads)


def state_lines(run: "Run") -> list[str]:
    """Tell a run's state in a few lines.

    Parameters
    ----------
    run : Run
        As the reader gives it.

    Returns
    -------
    list of str
        Status and reason, the errors, where the final expression comes from, what is odd.
    """
    sign = run_rows.STATUS.get(run.status, (run.status, "", 0))[0].split(" ")[0]
    first = f"{sign} {run.status}"
    if run.reason:
        first += f": {run.reason}"
    time_of = f"{numbers.duration(run.elapsed)} of {numbers.duration(run.budget)}"
    errors = f"ID {numbers.nmse(run.id_nmse)}   OOD {numbers.nmse(run.ood_nmse)}   "
    errors += f"train {numbers.nmse(run.train_nmse)}   q {numbers.quality(run_rows.quality_of(run))}"
    lines = [
        f"{run.id}  {run.name}",
        first,
        f"time {time_of}   attempt {run.attempt} of {run.attempts}   {run.incumbents} incumbents",
        errors,
    ]
    if run.final_source == "incumbent" and run.final_t is not None:
        lines.append(
            f"final: the incumbent of {numbers.duration(run.final_t)}, the method returned nothing in time"
        )
    elif run.final_source == "return":
        lines.append("final: returned by the method")
    if run.final_status not in (None, "ok"):
        lines.append(f"expression status: {run.final_status}")
    if "train" in (run.denominator_id, run.denominator_ood):
        lines.append(
            "a test split is too small: its error is relative to the variance of the training target"
        )
    if run.native_gap_flag:
        lines.append(
            f"the method's own predictions differ from this expression (gap {numbers.nmse(run.native_gap)})"
        )
    return lines


class RunDetail(VerticalScroll):
    """Shows one run; the simplified form and the difference from the truth appear when asked for."""

    DEFAULT_CSS = """
    RunDetail {
        scrollbar-size: 1 1; scrollbar-gutter: stable; height: 1fr;
        & > .heading { color: $primary; text-style: bold; }
        & > .asked { display: none; }
        & > .asked.shown { display: block; }
        & > #state { color: $foreground; }
        & > #sparks { color: $quiet; }
    }
    """

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield ExpressionView(id="expression")
        yield Plain("", id="how", classes="heading asked simplified")
        simplified = ExpressionView(id="simplified")
        simplified.add_class("asked", "simplified")
        yield simplified
        yield Plain("ground truth", classes="heading asked truth")
        truth = ExpressionView(id="truth")
        truth.add_class("asked", "truth")
        yield truth
        yield Plain("", id="difference", classes="asked truth")
        yield Plain("", id="state")
        yield Plain("", id="sparks")

    def show_run(self, run: "Run | None") -> None:
        """Show a run, or that there is none.

        Parameters
        ----------
        run : Run or None
            As the reader gives it.
        """
        view = self.query_one("#expression", ExpressionView)
        if run is None:
            view.text = ""
            self.query_one("#state", Plain).show("no run")
            self.query_one("#sparks", Plain).show("")
            return
        view.text = (
            run.expression or run.native or ("not started" if run.status == "planned" else "none found yet")
        )
        self.query_one("#state", Plain).show("\n".join(state_lines(run)))

    def show_resources(self, found: Resources) -> None:
        """Show CPU and memory as small bars.

        Parameters
        ----------
        found : Resources
            From the run's telemetry.
        """
        if not found.rss:
            self.query_one("#sparks", Plain).show("")
            return
        lines = []
        if found.cpu:
            level = f"{found.cpu[-1]:.2f} of {found.threads}"
            lines.append(f"CPU {spark(found.cpu, _SPARK, top=float(found.threads))} {level}")
        peak = f"{numbers.size(found.rss[-1])}, peak {numbers.size(max(found.rss))}"
        lines.append(f"RSS {spark(found.rss, _SPARK)} {peak}")
        self.query_one("#sparks", Plain).show("\n".join(lines))

    def reveal(self, part: str, text: str, note: str = "") -> None:
        """Show what was asked for.

        Parameters
        ----------
        part : str
            ``simplified`` or ``truth``.
        text : str
            The expression.
        note : str
            What there is to say about it.
        """
        self.query_one(f"#{part}", ExpressionView).text = text
        if part == "truth":
            self.query_one("#difference", Plain).show(note)
        else:
            self.query_one("#how", Plain).show(f"simplified form: {note}")
        self.set_shown(part, shown=True)

    def set_shown(self, part: str, *, shown: bool) -> None:
        """Show or hide a part.

        Parameters
        ----------
        part : str
            ``simplified`` or ``truth``.
        shown : bool
            Whether it is seen.
        """
        for widget in self.query(f".{part}"):
            widget.set_class(shown, "shown")

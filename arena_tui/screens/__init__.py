"""The console's screens, and how another one is added.

A screen is one folder here::

    screens/scores/__init__.py      one docstring line
    screens/scores/screen.py        class ScoresScreen(ConsoleScreen): layout, keys, what goes where
    screens/scores/scores.tcss      its layout; ``CSS_PATH = "scores.tcss"`` on the class
    screens/scores/table.py ...     its own widgets and row builders, one subject a file, each under 400 lines

and one line in ``ENTRIES`` below. Nothing else has to know of it: the masthead, the number and function keys,
the palette and the help are made from the entries and from the screen's ``BINDINGS``.

The rules of the house
----------------------
* Derive from ``arena_tui.screens.frame.ConsoleScreen``. Give it ``ROOM`` (the entry's name), ``HELP`` (a
  plain text of some lines: what the screen is for and how it is read) and ``contents()`` (what ``compose``
  is elsewhere); masthead, key bar and the too-small note are around it already.
* A screen computes nothing and reads no file. ``self.ask(work, done, topic="detail")`` calls ``work()`` on
  a daemon thread and ``done(result)`` in the loop; a newer question under the same topic makes the older
  answer void. Errors that ``work`` raises become toasts. Import what is heavy (engine, numpy, pandas)
  inside ``work``.
* ``self.campaign`` is the open campaign's folder or None; override ``campaign_changed()`` to follow it.
* Every action is a ``Binding`` with a description; ``show=True`` for the few that belong in the key bar,
  the main one first. The palette and ``?`` list them all. Digits, F1-F8, ``?``, ``q``, ``ctrl+p``,
  ``ctrl+t`` are the console's.
* Lists are ``widgets.table.Table`` (``Column``, ``Row``; sort, filter, group, marks, frozen order); charts
  are ``widgets.chart.ChartView`` over ``widgets.drawing.Chart``; expressions
  ``widgets.expression.ExpressionView``; text ``widgets.plain.Plain``; questions ``widgets.dialogs`` with
  ``self.app.push_screen(Question(...), callback)``; numbers ``widgets.numbers``.
* Foreign text (expressions, names, errors, logs) goes through ``Plain``, ``Table``, ``ExpressionView`` or
  ``printable``; never into a ``Static`` or ``notify`` with markup. ``self.app.tell(text, severity)`` is the
  toast.
* ``self.app.copy(text)`` copies (escape code and file) and says what is known about it.
* Colours are theme variables only: ``$good $fair $bad $quiet $live $series-0``...``$series-7``,
  ``$primary``, ``$accent``, ``$surface``, ``$panel``; what a colour says, a sign or a word says too.
* ``self.app.now()`` is the clock and ``self.app.remember(key, value)`` / ``self.app.recall(key)`` the
  memory, so that snapshot tests are the same every day.
* Layout works from 80x24 upwards: ``-narrow`` (< 100 columns), ``-wide`` (>= 140), ``-short`` (< 30 lines)
  are classes of the screen for its .tcss; below 32x8 the console shows a note instead.
* Tests: tests/arena_tui/screens/test_<name>_*.py with ``console_at(...)`` of
  tests/arena_tui/screens/conftest.py, and a snapshot at 80x24 and 160x48 in the dark and the colour-blind
  theme.
"""

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena_tui.screens.frame import ConsoleScreen


@dataclass(frozen=True, slots=True)
class Entry:
    """One screen: its key, its name in code and on the masthead, a line for the palette, its class."""

    key: str
    name: str
    title: str
    line: str
    target: str


ENTRIES = (
    Entry("1", "campaigns", "Campaigns", "all campaigns, and a new one", "campaigns.screen:CampaignsScreen"),
    Entry("2", "monitor", "Monitor", "runs of the open campaign, live", "monitor.screen:MonitorScreen"),
    Entry("3", "tasks", "Tasks", "the 664 tasks, sets and selections", "tasks.screen:TasksScreen"),
    Entry("4", "methods", "Methods", "environments, settings and probes", "methods.screen:MethodsScreen"),
    Entry("5", "distill", "Distill", "core sets: select, watch, compare", "distill.screen:DistillScreen"),
    Entry("6", "scores", "Scores", "six axes of the open campaign", "scores.screen:ScoresScreen"),
    Entry("7", "paired", "Paired", "what proposals add to a fixed library", "paired.screen:PairedScreen"),
)


def kind(entry: Entry) -> "type[ConsoleScreen]":
    """Import a screen's module.

    Parameters
    ----------
    entry : Entry
        A line of ``ENTRIES``.

    Returns
    -------
    type of ConsoleScreen
        The screen's class.
    """
    module, _, name = entry.target.partition(":")
    found: type[ConsoleScreen] = getattr(importlib.import_module(f"arena_tui.screens.{module}"), name)
    return found


def build(entry: Entry) -> "ConsoleScreen":
    """Make a screen.

    Parameters
    ----------
    entry : Entry
        A line of ``ENTRIES``.

    Returns
    -------
    ConsoleScreen
        A new screen.
    """
    return kind(entry)()

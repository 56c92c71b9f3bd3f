"""The Monitor's keys, and what its help says about them."""

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding("x", "order('stop')", "Stop"),
    Binding("p", "pause", "Pause"),
    Binding("slash", "filter", "Filter", key_display="/", priority=True),
    Binding("space", "mark", "Overlay"),
    Binding("m", "view('metric')", "Metric"),
    Binding("v", "pane", "Pane"),
    Binding("r", "order('retry')", "Retry"),
    Binding("enter", "zoom", "Zoom", show=False),
    Binding("R", "resume", "Resume: start an engine for this campaign", show=False),
    Binding("d", "order('drain')", "Drain: start nothing new", show=False),
    Binding("l", "view('log')", "Logarithmic axis", show=False),
    Binding("b", "view('best')", "Best so far", show=False),
    Binding("n", "view('bands')", "Seed bands", show=False),
    Binding("f", "view('front')", "Pareto front of the task", show=False),
    Binding("B", "view('budget')", "Budget mark", show=False),
    Binding("o", "group", "Group by method, task or status", show=False),
    Binding("e", "simplified", "Simplified form", show=False),
    Binding("t", "truth", "Difference from ground truth", show=False),
    Binding("full_stop", "app.next_digits", "Digits shown", show=False, key_display="."),
    Binding("i", "app.turn_formula", "Formula in two dimensions or on one line", show=False),
    Binding("c", "copy", "Copy the expression", show=False),
    Binding("y", "copy_table", "Copy the shown table", show=False),
    Binding("w", "whole_log", "Read the worker's log", show=False),
    Binding("a", "mark_shown", "Overlay all shown", show=False),
    Binding("u", "unmark", "Clear the overlay", show=False),
    Binding("plus", "pace(-1)", "Refresh more often", show=False, key_display="+"),
    Binding("minus", "pace(1)", "Refresh less often", show=False, key_display="-"),
    Binding("N", "alarms", "Bell and notifications on or off", show=False),
]

HELP = (
    "The runs of the open campaign, read from its folder while they go. Closing this never ends a run.\n\n"
    "Filter with /: words, a column (status:failed method=gplearn task:nguyen), a size (q<0.5 id<=1e-6 "
    "time>60), ! before a term turns it round. Sort with s, S, O or a click on a heading; o groups.\n\n"
    "Space lays a run's trajectory over the others (its sign stands before the row), u clears. m "
    "changes the value (q, ID, OOD, native score), l the axis, b shows the best so far, n the seeds' "
    "band, f the Pareto front of the task. Zeros are drawn at 1e-12 with a small triangle; what is "
    "unavailable is a gap.\n\n"
    "p holds the rows where they are (PAUSED) while reading goes on: a search is never paused, its "
    "clock is the wall's. x stops, r retries, d drains: each asks first and acts on the marked runs or "
    "the one under the cursor."
)

"""What the Paired screen is for, and its keys."""

from textual.binding import Binding, BindingType

HELP = (
    "Library reachability: what a source of proposals adds beyond a fixed library. Each study compares "
    "arms on the same tasks, seeds, rows and starts: BANK (the library alone), LLM (proposals alone, "
    "with names and domain under L1, blind under L2), UNION (both pools searched from scratch).\n\n"
    "Enter goes into the study under the cursor and Escape back to the list; v and V go through its "
    "views: outcomes by arm, metric and domain; the four cells of BANK and LLM with what UNION keeps of "
    "each; gains and losses of UNION against BANK by task; retention; units; all tables. m changes the "
    "metric, l the level of language. In a list, Enter opens the greedy paths of that task and seed side "
    "by side.\n\n"
    "n plans a new study. It is searched by a process of its own, which goes on when the console is "
    "left; x stops it, R goes on with one that is at rest. Finished units are never searched again."
)

BINDINGS: list[BindingType] = [
    Binding("enter", "enter", "Open"),
    Binding("v", "view(1)", "View"),
    Binding("m", "metric", "Metric"),
    Binding("l", "level", "Level"),
    Binding("n", "new", "New study"),
    Binding("x", "stop", "Stop"),
    Binding("slash", "filter", "Filter", key_display="/", priority=True),
    Binding("escape", "leave_study", "Back to the list of studies", show=False),
    Binding("V", "view(-1)", "Previous view", show=False),
    Binding("R", "resume", "Go on with a study at rest", show=False),
    Binding("o", "open", "Open a folder", show=False),
    Binding("r", "reload", "Read again", show=False),
    Binding("e", "export", "Write the tables as Parquet and LaTeX", show=False),
    Binding("w", "said", "Read what the session said", show=False),
    Binding("c", "copy", "Copy what is shown", show=False),
    Binding("y", "copy_table", "Copy the table", show=False),
]

"""The Scores screen's views and keys, and what its help says about them."""

from textual.binding import Binding, BindingType

# Name, what the strip says, the key that goes there.
VIEWS = (
    ("profile", "Profile", "o"),
    ("tasks", "Tasks", "t"),
    ("runs", "Runs", "u"),
    ("pairs", "Pairs", "d"),
    ("noise", "Noise", "n"),
    ("axes", "Correlations", "w"),
    ("front", "Pareto", "f"),
)

BINDINGS: list[BindingType] = [
    Binding("e", "score", "Score"),
    Binding("enter", "open", "Open"),
    Binding("v", "turn(1)", "View"),
    Binding("x", "export", "Export"),
    Binding("z", "zoom", "Zoom"),
    Binding("a", "everybody", "All methods"),
    Binding("p", "published", "Published"),
    Binding("escape", "back", "Back", show=False),
    Binding("V", "turn(-1)", "View before", show=False),
    *(Binding(key, f"view('{name}')", f"View: {title}", show=False) for name, title, key in VIEWS),
    Binding("J", "read(1)", "Read on in what is told", show=False),
    Binding("K", "read(-1)", "Read back", show=False),
    Binding("m", "measure", "Pareto: next cost", show=False),
    Binding("left_square_bracket", "method(-1)", "Method before", show=False, key_display="["),
    Binding("right_square_bracket", "method(1)", "Next method", show=False, key_display="]"),
    Binding("slash", "filter", "Filter", show=False, key_display="/", priority=True),
    Binding("r", "reload", "Read again", show=False),
    Binding("c", "copy", "Copy what is shown", show=False),
    Binding("y", "copy_table", "Copy the table", show=False),
]

HELP = (
    "ID and OOD: numerical quality. SYM: agreement with the reference expression, 1 when judged "
    "equivalent. MIN: reference size over own size. EFF: how early a run came near its own best. STAB: "
    "agreement of seeds. Scores are 0 to 100, higher is better; ¹ and ² mark the best and "
    "second of the campaign; a degree sign says that not every run (task, for STAB) has a score: the "
    "profile counts them.\n\n"
    "e scores what is new with the deterministic judge; what was judged before is kept. The views below "
    "are about the method under the cursor and its labels (clean or noisy): v and V turn them over, and "
    "each has a key. Enter goes deeper, from a method to its tasks, their runs, and a run in the "
    "Monitor; escape comes back. a shows all methods in Tasks, Runs and Pairs; [ and ] change the method "
    "from anywhere, J and K scroll what is told about a row, tab goes between the methods and the view, z "
    "gives the view the whole screen.\n\n"
    "Tasks and Runs show the judgments behind every verdict with their evidence: a point where two "
    "expressions differ, a proof, or equal normal forms. Pairs: differences over tasks, with exact tests. "
    "Noise: what noisy labels change. Correlations: Spearman's, across methods. Pareto: error against "
    "size, or score against time, with the front; m takes the next cost.\n\n"
    "p shows the paper's own rows, marked as published. x writes tables, figures or a bundle "
    "into a folder, as arena-tui export does."
)

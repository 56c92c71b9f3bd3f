"""What ``?`` says about the Distill screen."""

HELP = (
    "Select few tasks that stand for many. The selection maximizes J = coverage, information and balance "
    "under the paper's constraints, and says by how much at most it can be bettered (gap).\n\n"
    "e edits the demand: where the probe responses are (a table or a campaign's folder; o offers those "
    "known), size, weights, which constraints are left out (l). Enter or r starts, x stops. It runs in a "
    "process of its own while you work on other screens, ends with the console, and is saved as @NAME, "
    "usable wherever tasks are named. Enter on a saved selection takes its demand into the form; c copies "
    "the command that finds it again.\n\n"
    "v and V go through the views of the selection under the cursor, w lists them. Tab goes into a view, z "
    "gives it the whole width.\n"
    "Coverage map: ● selected / all tasks, ○ none selected, blank no such task.\n"
    "Balance: the bar is the selection's share, the upright stroke the whole set's.\n"
    "Fidelity: MAE says how far the probes' mean scores on the selection are from those on the whole set; "
    "without the fidelity bound it is large.\n"
    "Beside another: @core50, or what b chooses.\n"
    "Weights: m tries other weights of J; that takes minutes."
)

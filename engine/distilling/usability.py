"""Calibration usability H of candidate probes, in exact rational arithmetic (SymbolicArena, C.2)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.distilling.records import SPLITS, Records
from engine.errors import EngineError

# SymbolicArena, C.2.
DEFAULT_ALPHA = Fraction(1, 2)
DEFAULT_TAU = 100.0

# SymbolicArena, table 2: primary paradigms, under our labels and the papers' record names.
PARADIGMS = {
    "imcts": "structured",
    "qlattice": "structured",
    "jaxsr": "structured",
    "pysr": "evolutionary",
    "pyoperon": "evolutionary",
    "gplearn": "evolutionary",
    "symbolfit": "evolutionary",
    "udsr": "neural policy",
    "dso": "neural policy",
    "fepysr": "hybrid",
    "ragsr": "hybrid",
    "rag-sr": "hybrid",
    "e2esr": "transformer",
    "e2e": "transformer",
    "tpsr": "transformer",
    "drsr": "LLM",
    "llmsr": "LLM",
    "llm-sr": "LLM",
}


@dataclass(frozen=True, slots=True, eq=False)
class CandidateErrors:
    """Errors of M candidates on N calibration tasks.

    ``errors`` is (N, M, 3) NMSE on train, ID, OOD, NaN where unavailable; ``families`` the N source families.
    """

    tasks: tuple[str, ...]
    families: tuple[str, ...]
    methods: tuple[str, ...]
    errors: NDArray[np.float64]

    @property
    def available(self) -> NDArray[np.bool_]:
        """(N, M): all three errors finite and nonnegative (the tasks of Q_a)."""
        return np.asarray((np.isfinite(self.errors) & (self.errors >= 0)).all(axis=2))

    def explosions(self, tau: float) -> NDArray[np.bool_]:
        """(N, M): some finite, nonnegative ID or OOD error above tau (the tasks of B_a,tau).

        Parameters
        ----------
        tau : float
            Threshold on NMSE.

        Returns
        -------
        numpy.ndarray
            bool.
        """
        tests = self.errors[:, :, 1:]
        return np.asarray((np.isfinite(tests) & (tests >= 0) & (tests > tau)).any(axis=2))

    def without(self, method: str) -> "CandidateErrors":
        """Return the same without one candidate.

        Parameters
        ----------
        method : str
            The candidate to leave out.

        Returns
        -------
        CandidateErrors
            M - 1 candidates.
        """
        kept = [column for column, name in enumerate(self.methods) if name != method]
        return CandidateErrors(
            self.tasks, self.families, tuple(self.methods[c] for c in kept), self.errors[:, kept]
        )


def gather(records: Records) -> CandidateErrors:
    """Arrange one run per candidate and task.

    Parameters
    ----------
    records : Records
        Runs of all candidates on all calibration tasks.

    Returns
    -------
    CandidateErrors
        Tasks and methods sorted. A family such as ``srsd|hard dummy`` counts as its source ``srsd``.

    Raises
    ------
    EngineError
        When a candidate lacks a task or has several runs on one.
    """
    frame = records.frame
    tasks, methods = records.tasks, records.methods
    if frame.duplicated(["task_id", "method"]).any():
        row = frame[frame.duplicated(["task_id", "method"])].iloc[0]
        raise EngineError(
            f"{records.source} has several runs of {row['method']} on task {row['task_id']}; "
            "probe selection takes one"
        )
    if len(frame) != len(tasks) * len(methods):
        present = set(zip(frame["task_id"], frame["method"], strict=True))
        task, method = next((t, m) for t in tasks for m in methods if (t, m) not in present)
        raise EngineError(
            f"{records.source} lacks {len(tasks) * len(methods) - len(frame)} runs, "
            f"the first of {method} on task {task}; every candidate needs a run on every calibration task"
        )
    frame = frame.sort_values(["task_id", "method"], kind="stable")
    errors = frame[list(SPLITS)].to_numpy(dtype=np.float64).reshape(len(tasks), len(methods), 3)
    families = frame["family"].to_numpy().reshape(len(tasks), len(methods))[:, 0]
    return CandidateErrors(tasks, tuple(str(name).split("|")[0] for name in families), methods, errors)


def usability(
    candidates: CandidateErrors, alpha: Fraction = DEFAULT_ALPHA, tau: float = DEFAULT_TAU
) -> dict[str, Fraction]:
    """Return H_alpha(a; tau) = alpha q(a) + (1 - alpha) (1 - b_tau(a)) of every candidate.

    Parameters
    ----------
    candidates : CandidateErrors
        N tasks, M candidates.
    alpha : fractions.Fraction
        Weight of the finite result rate.
    tau : float
        Explosion threshold.

    Returns
    -------
    dict of str to fractions.Fraction
        Exact.
    """
    count = len(candidates.tasks)
    finite = candidates.available.sum(axis=0)
    exploded = candidates.explosions(tau).sum(axis=0)
    return {
        method: alpha * Fraction(int(q), count) + (1 - alpha) * (1 - Fraction(int(b), count))
        for method, q, b in zip(candidates.methods, finite, exploded, strict=True)
    }

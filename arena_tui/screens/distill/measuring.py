"""Measuring selections beside others, one at a time, in a process of its own; what was measured is kept."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from arena_tui.screens.distill import demand
from arena_tui.screens.distill.solving import Solving

_NO_RESPONSES = "Not measured yet: say where its responses are (e), then m measures."


class Measuring:
    """Answers how a selection compares, or why that is not known yet.

    Parameters
    ----------
    ask : callable
        The screen's ``ask``.
    changed : callable
        Called in the loop when something else can be shown.
    """

    def __init__(self, ask: Callable[..., None], changed: Callable[[], None]) -> None:
        self._ask, self._changed = ask, changed
        self._found: dict[str, Mapping[str, Any]] = {}
        self._trouble: dict[str, str] = {}
        self._recalled: set[str] = set()
        self._running: tuple[str, Solving, float] | None = None

    @property
    def busy(self) -> bool:
        """Whether something is being measured."""
        return self._running is not None

    def of(self, name: str, document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
        """Return the comparison of a selection, or why there is none.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.

        Returns
        -------
        tuple of (mapping or None) and str
            The comparison and an empty text, or None and a sentence.
        """
        found = self._found.get(_key(name, document))
        if found is not None:
            return found, ""
        if self._running is not None and self._running[0] == name:
            seconds = time.monotonic() - self._running[2]
            return None, f"Measuring it and seven other selectors, 100 draws each: {seconds:.0f} s   x stops"
        return None, self._trouble.get(name, _NO_RESPONSES)

    def recall(self, name: str, document: Mapping[str, Any]) -> None:
        """Read what an earlier sitting measured, once.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.
        """
        key = _key(name, document)
        if key in self._recalled:
            return

        def read() -> dict[str, Any] | None:
            from engine.distilling.manifest import kept_comparison

            return kept_comparison(name, document["members"])

        self._ask(read, partial(self._recall_ended, key), topic=f"compared {name}")

    def _recall_ended(self, key: str, found: dict[str, Any] | None) -> None:
        self._recalled.add(key)
        if found is not None:
            self._found[key] = found
        self._changed()

    def want(self, name: str, document: Mapping[str, Any], responses: str, others: Sequence[str]) -> None:
        """Measure a selection unless that is done, under way, failed, or impossible without responses.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.
        responses : str
            Where they are.
        others : sequence of str
            What to put it beside.
        """
        key = _key(name, document)
        held = self._found.get(key)
        measured = held is not None and set(others) <= {
            *(one["other"] for one in held["overlaps"]),
            *held["absent"],
        }
        if measured or name in self._trouble or not responses:
            return
        if self._running is not None or key not in self._recalled:
            # `changed` is called when either has ended; what is wanted by then is asked for again.
            return
        child = Solving(demand.compare_words(name, document, responses, others))
        self._running = (name, child, time.monotonic())
        self._ask(
            lambda: child.run(lambda _step: None),
            partial(self._ended, name, key),
            topic="measure",
            failed=partial(self._failed, name),
        )

    def _ended(self, name: str, key: str, found: Mapping[str, Any]) -> None:
        self._trouble.pop(name, None)
        self._found[key] = found
        self._go_on()

    def _failed(self, name: str, error: Exception) -> None:
        self._trouble[name] = f"Not measured: {error}. m tries again."
        self._go_on()

    def _go_on(self) -> None:
        self._running = None
        self._changed()

    def forget(self, name: str) -> None:
        """Measure a selection anew when it is wanted next.

        Parameters
        ----------
        name : str
            Of the selection.
        """
        self._trouble.pop(name, None)
        self._found = {key: held for key, held in self._found.items() if not key.startswith(f"{name}\n")}

    def stop(self) -> None:
        """End the process that measures."""
        if self._running is not None:
            self._running[1].stop()


def _key(name: str, document: Mapping[str, Any]) -> str:
    """Tell a selection from a later one of the same name."""
    return f"{name}\n{document.get('members_sha256', '')}"

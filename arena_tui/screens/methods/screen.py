"""The Methods screen: environments, their installation, settings against the defaults, probes."""

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.methods import overriding, rows
from arena_tui.screens.methods.installing import Child
from arena_tui.screens.methods.probes import ProbePanel, read_candidates
from arena_tui.screens.methods.rows import Known
from arena_tui.widgets.dialogs import Question, Typed
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

_PANES = ("about", "settings", "probes", "output")
_OUTPUT_LINES = 400
_RECORDS = "methods.records"


class MethodsScreen(ConsoleScreen):
    """Methods on one side; description, settings or the installer's output on the other."""

    CSS_PATH = "methods.tcss"
    ROOM: ClassVar[str] = "methods"
    HELP: ClassVar[str] = (
        "The methods that can be run. i installs the environment of the method under the cursor (with its "
        "output shown as it comes), u removes it, h asks the doctor whether it could start now, H asks for "
        "all.\n\n"
        "v goes through description, settings, probes and output. In the settings, Enter changes a value, "
        "Backspace brings the default back; changed ones are remembered here and go along when n plans a "
        "campaign of the marked methods.\n\n"
        "Probes: usability H of the candidates from runs on the calibration tasks (b names them; an open "
        "campaign is tried first). Space puts a candidate into the panel of four or takes it out; U, the "
        "rule of three paradigms and the rank among all feasible panels follow at once; n plans a "
        "campaign of the panel."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "install", "Install"),
        Binding("v", "pane", "Settings / probes"),
        Binding("h", "doctor", "Doctor"),
        Binding("n", "campaign", "New campaign"),
        Binding("enter", "change", "Change", show=False),
        Binding("backspace", "default", "Back to the default", show=False),
        Binding("space", "mark", "Mark", show=False),
        Binding("b", "records", "Records for the probes", show=False),
        Binding("slash", "filter", "Filter", show=False, key_display="/", priority=True),
        Binding("H", "doctor_all", "Doctor for all", show=False),
        Binding("u", "uninstall", "Uninstall", show=False),
        Binding("X", "cancel", "Cancel the installation", show=False),
        Binding("c", "copy", "Copy what is shown", show=False),
        Binding("y", "copy_table", "Copy the table", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, Known] = {}
        self._overrides: dict[str, dict[str, object]] = {}
        self._child: Child | None = None
        self._output: list[str] = []
        self._pane = "about"

    def contents(self) -> ComposeResult:
        """Lay out the methods and the panes."""
        table = Table(rows.COLUMNS, empty="no method passes the filter", pinned=1, id="methods")
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Methods"
            yield table
            yield FilterBar(table, hint="words, state=installed, kind:julia")
        with Vertical(id="side"):
            with VerticalScroll(id="about", classes="panel pane"):
                yield Facts(id="words")
            with Vertical(id="settings", classes="panel pane"):
                yield Table(rows.SETTING_COLUMNS, empty="it has no settings", pinned=1, id="values")
                yield Facts(id="doc")
            with Vertical(id="probes", classes="panel pane"):
                yield ProbePanel()
            with VerticalScroll(id="output", classes="panel pane"):
                yield Plain("nothing was installed yet", id="lines")

    def on_mount(self) -> None:
        """Read descriptions and states."""
        super().on_mount()
        for name, title in (
            ("about", "Method"),
            ("settings", "Settings"),
            ("probes", "Probes"),
            ("output", "Output"),
        ):
            self.query_one(f"#{name}").border_title = title
        self._overrides = overriding.recalled(self.console.recall("methods.overrides"))
        self._front("about")
        self._reload()

    def on_unmount(self) -> None:
        """Stop an installation: half of one is removed by the next."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _reload(self) -> None:
        self.ask(overriding.read_methods, self._filled, topic="methods")

    def _filled(self, found: list[Known]) -> None:
        said = {name: known.diagnosis for name, known in self._known.items()}
        self._known = {
            known.method.name: Known(known.method, known.state, said.get(known.method.name, ""))
            for known in found
        }
        self._load()

    def _load(self) -> None:
        table = self.query_one("#methods", Table)
        table.load(
            [rows.row(known, len(self._overrides.get(name, {}))) for name, known in self._known.items()]
        )
        self.query_one(FilterBar).count(len(table.visible_keys), table.total)
        self._show()

    def _current(self) -> Known | None:
        return self._known.get(self.query_one("#methods", Table).cursor or "")

    @on(Table.Moved, "#methods")
    def _moved(self) -> None:
        self._show()

    def _show(self) -> None:
        known = self._current()
        if known is None:
            return
        name = known.method.name
        self.query_one("#about").border_title = name
        self.query_one("#words", Facts).show(rows.about(known))
        self.query_one("#settings").border_title = f"Settings of {name}"
        chosen = self._overrides.get(name, {})
        self.query_one("#values", Table).load(
            [rows.setting_row(item, chosen) for item in known.method.schema]
        )

    @on(Table.Moved, "#values")
    def _moved_setting(self, event: Table.Moved) -> None:
        known = self._current()
        found = [item for item in known.method.schema if item.name == event.key] if known else []
        self.query_one("#doc", Facts).show(rows.setting_facts(found[0]) if found else [])

    # -- panes ---------------------------------------------------------------------------------------------

    def _front(self, pane: str) -> None:
        self._pane = pane
        self.set_class(pane == "probes", "probing")
        for name in _PANES:
            self.query_one(f"#{name}").set_class(name == pane, "front")
        if pane == "probes" and not self.query_one(ProbePanel).loaded and self.campaign is not None:
            self._read_probes(self.campaign)

    def action_pane(self) -> None:
        """Bring the next pane to the front, and the keys to it."""
        self._front(_PANES[(_PANES.index(self._pane) + 1) % len(_PANES)])
        if self._pane == "settings":
            self.query_one("#values", Table).focus()
        elif self._pane == "probes":
            self.query_one(ProbePanel).take_focus()
        else:
            self.query_one("#methods", Table).focus()

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterBar).take_focus()

    def action_mark(self) -> None:
        """Mark a method for a campaign; among the probes, put it into the panel or take it out."""
        if self._pane == "probes":
            self.query_one(ProbePanel).toggle()
        else:
            self.query_one("#methods", Table).action_mark()

    def action_records(self) -> None:
        """Name the runs on the calibration tasks from which usability is computed."""

        def take(text: str | None) -> None:
            if text:
                self.console.remember(_RECORDS, text)
                self._read_probes(Path(text).expanduser())

        words = (
            "A table of runs (TSV, CSV, Parquet), one run for each candidate and task; or a campaign folder:"
        )
        last = str(self.console.recall(_RECORDS) or "")
        self.app.push_screen(Typed("Records for the probes", words, last), take)

    def _read_probes(self, source: Path) -> None:
        self._front("probes")
        panel = self.query_one(ProbePanel)
        self.ask(lambda: read_candidates(source), panel.load, topic="probes")
        panel.take_focus()

    # -- settings ------------------------------------------------------------------------------------------

    def action_change(self) -> None:
        """Change the setting under the cursor."""
        known, key = self._current(), self.query_one("#values", Table).cursor
        if known is None or key is None or self._pane != "settings":
            self._front("settings")
            self.query_one("#values", Table).focus()
            return
        setting = next(item for item in known.method.schema if item.name == key)
        row = rows.setting_row(setting, self._overrides.get(known.method.name, {}))
        text = f"{setting.doc}\n{setting.allowed()}; default {row.values['default']} ({setting.source})"

        def check(value: str) -> object:
            return overriding.checked(known.method, key, value)

        def take(value: str | None) -> None:
            if value is not None:
                self._override(known.method.name, key, check(value))

        title = f"{known.method.name}.{key}"
        self.app.push_screen(Typed(title, text, str(row.values["value"]), check=check), take)

    def _override(self, method: str, name: str, value: object) -> None:
        known = self._known[method]
        default = known.method.defaults()[name]
        chosen = dict(self._overrides.get(method, {}))
        chosen.pop(name, None)
        if value != default:
            chosen[name] = value
        self._overrides = {**self._overrides, method: chosen}
        self.console.remember("methods.overrides", self._overrides)
        self._load()

    def action_default(self) -> None:
        """Bring the default of the setting under the cursor back."""
        known, key = self._current(), self.query_one("#values", Table).cursor
        if known is not None and key is not None and self._pane == "settings":
            self._override(known.method.name, key, known.method.defaults()[key])

    def action_campaign(self) -> None:
        """Plan a campaign of the marked methods, or of the panel, with their changed settings."""
        table = self.query_one("#methods", Table)
        names = list(table.marks) or ([table.cursor] if table.cursor else [])
        if self._pane == "probes" and self.query_one(ProbePanel).members:
            names = self.query_one(ProbePanel).members
        words = [rows.set_words(name, self._overrides.get(name, {})) for name in names]
        self.console.new_campaign(methods=",".join(names), settings=" ".join(word for word in words if word))

    # -- environments --------------------------------------------------------------------------------------

    def action_install(self) -> None:
        """Install the environment of the method under the cursor."""
        known = self._current()
        if known is None:
            return
        method = known.method
        if self._child is not None:
            self.console.tell("one installation at a time: X cancels the one that runs", "warning")
        elif method.kind == "checkout" and known.state.installed is None:
            self.app.push_screen(
                Typed(f"Install {method.name}", "It is no package: folder or git address of its checkout:"),
                lambda place: (
                    self._begin([method.name, "--source", place], method.accept_licence) if place else None
                ),
            )
        else:
            self._begin([method.name], method.accept_licence)

    def _begin(self, words: list[str], asks_licence: bool) -> None:
        method = self._known[words[0]].method
        if not asks_licence:
            self._run(["methods", "install", *words])
            return
        question = (
            f"{method.title} is licensed under {method.licence}.\n{method.homepage}\n\nDo you accept it?"
        )
        self.app.push_screen(
            Question("Licence", question),
            lambda agreed: self._run(["methods", "install", *words, "--accept-licence"]) if agreed else None,
        )

    def action_uninstall(self) -> None:
        """Remove the environment of the method under the cursor."""
        known = self._current()
        if known is not None and known.state.folder is not None and self._child is None:
            name = known.method.name
            self.app.push_screen(
                Question(
                    "Uninstall", f"Remove the environment of {name}? Records stay.\n{known.state.folder}"
                ),
                lambda agreed: self._run(["methods", "uninstall", name]) if agreed else None,
            )

    def _run(self, words: list[str]) -> None:
        self._output = [f"$ arena-tui {' '.join(words)}"]
        self._front("output")
        self._print_output()
        # From here on it stays at its end until somebody scrolls up to read.
        self.query_one("#output", VerticalScroll).anchor()
        self._child = Child(words, self._line, self._ended)

    def _line(self, line: str) -> None:
        if self._child is not None:
            self._say(line)

    def _say(self, line: str) -> None:
        self._output = [*self._output, line][-_OUTPUT_LINES:]
        self._print_output()

    def _print_output(self) -> None:
        self.query_one("#lines", Plain).show("\n".join(self._output))

    def _ended(self, code: int) -> None:
        if self._child is None:
            return
        self._child = None
        self._say("done" if code == 0 else f"exit code {code}")
        self.console.tell("done" if code == 0 else self._output[-2], "information" if code == 0 else "error")
        self._reload()

    def action_cancel(self) -> None:
        """End the installation that runs."""
        if self._child is not None:
            self._child.end()

    def action_doctor(self) -> None:
        """Ask whether the method under the cursor could start now."""
        known = self._current()
        if known is not None:
            self._examine([known.method.name])

    def action_doctor_all(self) -> None:
        """Ask which methods could start now."""
        self._examine(list(self._known))

    def _examine(self, names: list[str]) -> None:
        asked = f"asking the doctor about {names[0] if len(names) == 1 else f'{len(names)} methods'}…"
        self.console.tell(asked)
        if self._child is None:
            self._output = [asked]
            self._front("output")
            self._print_output()
        self.ask(lambda: overriding.examine(names), self._examined, topic="doctor")

    def _examined(self, found: dict[str, tuple[str, str]]) -> None:
        for name, (status, _) in found.items():
            known = self._known[name]
            self._known[name] = Known(known.method, known.state, status)
        self._load()
        width = max(len(name) for name in found)
        self._output = [f"{name:<{width}} {status:<16} {detail}" for name, (status, detail) in found.items()]
        self._front("output")
        self._print_output()
        output = self.query_one("#output", VerticalScroll)
        output.anchor(anchor=False)
        output.scroll_home(animate=False)

    # -- copying -------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the front pane shows."""
        known = self._current()
        if self._pane == "output":
            self.console.copy("\n".join(self._output))
        elif self._pane == "settings":
            self.console.copy(self.query_one("#values", Table).as_tsv())
        elif self._pane == "probes":
            self.console.copy(self.query_one(ProbePanel).as_text())
        elif known is not None:
            self.console.copy(self.query_one("#words", Facts).as_text())

    def action_copy_table(self) -> None:
        """Copy the shown methods as tab-separated text."""
        self.console.copy(self.query_one("#methods", Table).as_tsv())

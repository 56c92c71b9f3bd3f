"""Records on the disk: whole or absent, and what is damaged costs nothing but itself."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.errors import EngineError
from engine.running import control, layout, store
from engine.running.records import RunKey

ROOT = Path(engine.__file__).parents[1]

records = st.dictionaries(
    st.text(max_size=8),
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
)  # fmt: skip


@settings(max_examples=40)
@given(st.lists(records, max_size=6), st.integers(0, 200))
def test_a_cut_log_keeps_every_whole_line(items, cut):
    content = b"".join(store.dump(item) for item in items)
    kept = content[: min(cut, len(content))]
    lines = store.split_lines(kept, ended=True)
    whole = kept.count(b"\n")
    assert list(lines.records[:whole]) == items[:whole]
    assert len(lines.damaged) + len(lines.records) - whole in (0, 1)


@settings(max_examples=40)
@given(st.lists(records, min_size=1, max_size=6), st.data())
def test_reading_on_from_an_offset_gives_every_record_once(items, data):
    content = b"".join(store.dump(item) for item in items)
    cut = data.draw(st.integers(0, len(content)))
    first = store.split_lines(content[:cut], ended=False)
    second = store.split_lines(content[first.offset :], first.offset, ended=True)
    assert [*first.records, *second.records] == items
    assert second.offset == len(content)


def test_non_finite_numbers_never_reach_a_record():
    with pytest.raises(ValueError):
        store.dump({"nmse": float("nan")})


def test_eight_lines_stay_when_the_ninth_is_cut(tmp_path):
    log = tmp_path / "log.jsonl"
    for k in range(9):
        store.append(log, {"k": k})
    log.write_bytes(log.read_bytes()[:-4])
    lines = store.read_lines(log, ended=True)
    assert [record["k"] for record in lines.records] == list(range(8))
    assert lines.damaged == (8,)
    # The next record starts on a line of its own.
    store.append(log, {"k": 9})
    lines = store.read_lines(log, ended=True)
    assert [record["k"] for record in lines.records] == [*range(8), 9]


def test_a_whole_file_record_is_never_half_there(tmp_path):
    """Kill a writer fifty times at random moments: what can be read is always one of the whole records."""
    path = tmp_path / "result.json"
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\nfrom engine.running import store\n"
        f"path = Path({str(path)!r})\nk = 0\nwhile True:\n    k += 1\n"
        "    store.write_whole(path, store.dump({'k': k, 'fill': 'x' * 20000}))\n"
        "    if k == 1: print('started', flush=True)\n"
    )
    for attempt in range(50):
        writer = subprocess.Popen([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(0.0007 * (attempt % 13))
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        record = store.read_record(path)
        assert len(record["fill"]) == 20000


def test_an_empty_record_is_named_and_can_be_set_aside(tmp_path):
    path = tmp_path / "attempt-1" / "result.json"
    path.parent.mkdir()
    path.write_bytes(b"")
    with pytest.raises(EngineError, match=r"result\.json is damaged"):
        store.read_record(path)
    kept = store.set_aside(path, tmp_path / "damaged")
    assert kept.read_bytes() == b""
    assert store.read_record(path) is None


def test_of_two_writers_of_a_new_record_one_wins(tmp_path):
    path = tmp_path / "keeper.json"
    assert store.write_new(path, b"{}\n") is True
    assert store.write_new(path, b"[]\n") is False
    assert path.read_bytes() == b"{}\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["keeper.json"]


@pytest.fixture
def full_disk(tmp_path):
    """A file system with no room left."""
    mount = tmp_path / "full"
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(mount)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no right to mount a small file system here, so a full disk was not tried")
    (mount / "log.jsonl").write_text(json.dumps({"k": 0}) + "\n")
    (mount / "result.json").write_text("{}\n")
    filler = os.open(mount / "filler", os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(filler, b"x" * 1024):
            pass
    except OSError:
        os.close(filler)
    yield mount
    subprocess.run(["umount", str(mount)], check=True)


def test_a_full_disk_is_one_sentence_and_loses_nothing(full_disk):
    with pytest.raises(EngineError, match="No space left on device"):
        store.write_whole(full_disk / "result.json", b"x" * 100_000)
    assert (full_disk / "result.json").read_text() == "{}\n"
    with pytest.raises(EngineError, match=r"disk is full|No space left"):
        store.append(full_disk / "log.jsonl", {"k": "x" * 100_000})
    assert store.read_lines(full_disk / "log.jsonl", ended=True).records[0] == {"k": 0}
    assert sorted(path.name for path in full_disk.iterdir()) == ["filler", "log.jsonl", "result.json"]


def test_a_read_only_folder_is_one_sentence_though_even_tidying_up_is_refused(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    for write in (store.write_whole, store.write_new):
        with pytest.raises(EngineError, match=r"could not be written \(Read-only file system\)"):
            write(tmp_path / "result.json", b"{}")


def test_a_request_to_a_campaign_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "control").write_text("in the way")
    with pytest.raises(EngineError, match="could not be written"):
        control.ask(tmp_path, control.RETRY, [])


@settings(max_examples=40)
@given(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,12}", fullmatch=True),
    st.from_regex(r"[gu][0-9a-f]{4,8}", fullmatch=True),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["clean", "noise001", "noise005", "noise1.5"]),
)
def test_a_run_reads_back_from_its_folders(label, task, seed, condition):
    key = RunKey(label, task, seed, condition)
    folder = layout.attempt_folder(Path("campaign"), key, 3)
    assert layout.key_of_cell(label, task, key.cell) == key
    assert layout.attempt_number(folder.name) == 3
    assert key.id == f"{label}/{task}/{key.cell}"

"""A user's own table: what it becomes, and one sentence for each fault."""

import gzip

import numpy as np
import pandas as pd
import pytest

from tasks import tables
from tasks.errors import TaskError
from tasks.tables import read_columns, user_task


def frame(rows=40):
    x = np.linspace(1, 2, rows)
    return pd.DataFrame({"a": x, "b": x**2 + 1, "t": x * 3})


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.csv.gz", "t.npz"])
def test_every_format_gives_the_same_task(tmp_path, name):
    data, path = frame(), tmp_path / name
    if name.endswith(".parquet"):
        data.to_parquet(path)
    elif name.endswith(".npz"):
        np.savez(path, **{column: data[column].to_numpy() for column in data})
    else:
        data.to_csv(path, index=False, sep="\t" if "tsv" in name else ",")
    task, splits = user_task(path, "t", truth="3*a")
    assert task.id.startswith("u")
    assert len(task.id) == 9
    assert task.feature_names == ("a", "b")
    assert (splits.train.rows, splits.valid.rows, splits.id.rows) == (32, 4, 4)
    assert splits.ood is None
    again, _ = user_task(path, "t", truth="3*a")
    assert again.id == task.id


def test_matrices_in_an_npz_are_named_by_position(tmp_path):
    np.savez(tmp_path / "m.npz", X=np.ones((5, 2)), y=np.arange(5.0))
    assert list(read_columns(tmp_path / "m.npz")) == ["x0", "x1", "y"]


def test_small_tables_are_training_rows_only(tmp_path):
    frame(9).to_csv(tmp_path / "s.csv", index=False)
    _, splits = user_task(tmp_path / "s.csv", "t")
    assert (splits.train.rows, splits.valid, splits.id) == (9, None, None)


def test_an_ood_table_is_read_in_the_same_columns(tmp_path):
    frame().to_csv(tmp_path / "d.csv", index=False)
    frame(6)[["t", "b", "a"]].to_csv(tmp_path / "o.csv", index=False)
    task, splits = user_task(tmp_path / "d.csv", "t", features=["b"], ood=tmp_path / "o.csv")
    assert splits.ood.names == ("b",)
    assert splits.ood.rows == task.sizes.ood == 6


def test_the_id_depends_on_the_content_not_on_the_place(tmp_path):
    frame().to_csv(tmp_path / "one.csv", index=False)
    frame().to_csv(tmp_path / "two.csv", index=False)
    changed = frame()
    changed.loc[3, "t"] += 1e-12
    changed.to_csv(tmp_path / "three.csv", index=False)
    ids = [user_task(tmp_path / f"{name}.csv", "t")[0].id for name in ("one", "two", "three")]
    assert ids[0] == ids[1] != ids[2]


def write(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,t\n1,2\n,3\n4,5\n", r"column 'a' is empty, NaN or infinite in data row 2"),
        ("a,t\n1,2\nnan,3\ninf,5\n", r"in data row 2 and 1 more"),
        ("a,t\n1,2\nred,3\n", r"column 'a' holds 'red' in data row 2, which is no number"),
        ("", "is empty"),
        ("a,t\n", "holds no rows"),
        ("a,a,t\n1,2,3\n", "names the column 'a' twice"),
        ("a,t\n1,2\n3,4,5,6\n", "cannot be read as a table"),
        ("a,t\n1,2\n3,4\n", "has 2 rows; at least 3"),
        ("t\n1\n2\n3\n", "no feature column"),
        ("a,t\n1,2\n1_000,3\n4,5\n", "column 'a' holds '1_000' in data row 2"),
        ("a,t\n1,2\n3,2\n4,2\n", "the target 't' is 2 in every row"),
        ("a;b;t\n1,5;2,5;3\n", "split at semicolons; write it with commas between the columns and points"),
        ("a|b|t\n1|2|3\n", "split at bars"),
        ("a\tt\n1\t2\n", "split at tabs"),
        (",".join(f"c{k}" for k in range(10_001)) + ",t\n", "has 10002 columns; at most 10000 are read"),
    ],
)
def test_each_fault_of_a_table_has_its_sentence(tmp_path, text, said):
    with pytest.raises(TaskError, match=said):
        user_task(write(tmp_path / "x.csv", text), "t")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_what_other_columns_hold_is_nobodys_business(tmp_path, kind):
    table = frame().assign(day="2020-01-01", gap=float("nan"))
    path = tmp_path / f"t.{kind}"
    table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    with pytest.raises(TaskError, match=r"column 'day' holds '2020-01-01'.*leave the column out"):
        user_task(path, "t")
    task, splits = user_task(path, "t", features=["b", "a"])
    assert task.feature_names == ("b", "a")
    assert splits.train.X.shape[1] == 2


def test_a_byte_order_mark_and_dos_line_ends_change_nothing(tmp_path):
    path = tmp_path / "plain.csv"
    frame().to_csv(path, index=False)
    dos = tmp_path / "dos.csv"
    dos.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert user_task(dos, "t")[0].id == user_task(path, "t")[0].id


def test_wrong_columns_formulas_and_files_are_named(tmp_path):
    path = tmp_path / "d.csv"
    frame().to_csv(path, index=False)
    with pytest.raises(TaskError, match="has no column 'z'; it has a, b, t"):
        user_task(path, "z")
    with pytest.raises(TaskError, match="cannot be a feature of itself"):
        user_task(path, "t", features=["a", "t"])
    with pytest.raises(TaskError, match="'q', which is not a feature"):
        user_task(path, "t", truth="q + 1")
    with pytest.raises(TaskError, match="there is no table"):
        user_task(tmp_path / "none.csv", "t")
    with pytest.raises(TaskError, match="no CSV, TSV, Parquet or npz"):
        user_task(write(tmp_path / "d.xlsx", "x"), "t")
    with pytest.raises(TaskError, match="cannot be read as Parquet"):
        user_task(write(tmp_path / "d.parquet", "x"), "t")
    with pytest.raises(TaskError, match="cannot be read as a table"):
        user_task(write(tmp_path / "d.csv.gz", "not gzip"), "t")


def test_pickled_arrays_are_refused_not_loaded(tmp_path):
    np.savez(tmp_path / "p.npz", x=np.array([{"a": 1}], dtype=object), y=np.ones(1))
    with pytest.raises(TaskError, match="without pickles"):
        user_task(tmp_path / "p.npz", "y")


def test_huge_text_tables_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as out:
        out.write(b"a,t\n1,2\n")
        out.truncate(300 * 1024 * 1024)
    with pytest.raises(TaskError, match="has 300 MB; text tables above 256 MB are refused"):
        user_task(path, "t")


def test_packed_tables_count_by_what_they_unpack_to(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "LARGEST_TABLE_BYTES", 10_000)
    monkeypatch.setattr(tables, "MOST_UNPACKED_BYTES", 10_000)
    text = tmp_path / "z.csv.gz"
    text.write_bytes(gzip.compress(b"a,t\n" + b"1,2\n" * 10_000))
    assert text.stat().st_size < 10_000
    with pytest.raises(TaskError, match="unpacks to more than"):
        user_task(text, "t")
    np.savez_compressed(tmp_path / "z.npz", a=np.zeros(10_000), t=np.zeros(10_000))
    with pytest.raises(TaskError, match="MB of values; at most"):
        user_task(tmp_path / "z.npz", "t")
    pd.DataFrame({"a": np.zeros(10_000), "t": np.zeros(10_000)}).to_parquet(tmp_path / "z.parquet")
    with pytest.raises(TaskError, match="MB of values; at most"):
        user_task(tmp_path / "z.parquet", "t")

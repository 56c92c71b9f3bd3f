"""Importers: what they read, what they refuse, and that nothing is executed."""

import contextlib
import gzip
import json

import h5py
import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks import catalogue, export, materialize
from tasks.errors import TaskError
from tasks.importing import arena, llm_srbench, plain, pmlb, srsd
from tasks.importing.python_formula import expression, formula_of
from tasks.tables import read_columns

TRAP = "import pathlib\npathlib.Path(__file__).with_name('executed').write_text('x')\n"


def arena_task(folder, formula="x0 * x1", rows=200, target=lambda X: X[:, 0] * X[:, 1]):
    """Write a task in the released layout with the given stored formula."""
    folder.mkdir(parents=True)
    names = ["x0", "x1"]
    metadata = {"dataset": {"target": {"name": "target"}, "features": [{"name": name} for name in names]}}
    (folder / "metadata.yaml").write_text(yaml.safe_dump(metadata))
    (folder / "formula.py").write_text(f"import numpy as np\n\ndef formula(x0, x1):\n    return {formula}\n")
    generator = np.random.default_rng(0)
    for stem in ("train", "valid", "id_test", "ood_test"):
        X = generator.uniform(1, 2, (rows, 2))
        frame = pd.DataFrame(X, columns=names)
        frame["target"] = target(X)
        frame.to_csv(folder / f"{stem}.csv", index=False)
    return folder


@pytest.mark.parametrize(
    "key", ["Korns-3", "first_principles_hubble", "strogatz_shearflow1", "g0301", "PO20"]
)
def test_what_we_export_is_read_back_bit_for_bit(arena_home, tmp_path, key):
    task = catalogue.get(key)
    splits = materialize.splits(task)
    export.write(task, splits, tmp_path / "out", "csv")
    (found,) = arena.read(tmp_path / "out")
    assert found.error is None
    assert found.task.feature_names == task.feature_names
    assert found.task.recipe["dataset_id"] == task.id
    for (_, one), (_, two) in zip(splits.named(), found.splits.named(), strict=True):
        np.testing.assert_array_equal(one.X, two.X)
        np.testing.assert_array_equal(one.y, two.y)


def test_parquet_exports_are_read_back_too(arena_home, tmp_path):
    task = catalogue.get("Nguyen-5")
    export.write(task, materialize.splits(task), tmp_path / "out", "parquet")
    (found,) = arena.read(tmp_path / "out")
    assert found.error is None
    assert found.splits.ood.rows == 200
    with pytest.raises(TaskError, match="is not empty"):
        export.write(task, materialize.splits(task), tmp_path / "out", "csv")


def test_the_released_spelling_is_understood(tmp_path):
    """Compound names, declared files, helpers that shadow builtins, no import, meaningless columns."""
    folder = arena_task(tmp_path / "t")
    (folder / "train.csv").rename(folder / "rows.csv")
    (folder / "formula.py").rename(folder / "law.py")
    (folder / "law.py").write_text(
        "scale = 1.5\n\n\n"
        "def abs(x1):\n    return np.abs(x1)\n\n\n"
        "def safe(x0, x1):\n    with np.errstate(divide='ignore'):\n"
        "        return np.where(abs(x1) > 0.001, np.divide(x0, x1), 1.0)\n\n\n"
        "def y(x0, x1):\n    a = np.asarray(x0, dtype=float)\n    return scale*safe(a, 2.0)\n"
    )
    dataset = {
        "name": "srsd__srsd-feynman_easy_dummy__feynman-i.1.1",
        "splits": {"train": {"file": "rows.csv", "samples": 200}},
        "ground_truth_formula": {"file": "law.py"},
        "features": [
            {"name": "x0", "type": "continuous", "train_range": [1.0, 2.0], "description": "m, Mass"},
            {"name": "x1", "type": "continuous", "train_range": [1.0, 2.0], "description": "meaningless"},
        ],
        "target": {"name": "target", "ood_range": None},
        "license": "CC BY 4.0",
    }
    (folder / "metadata.yaml").write_text(yaml.safe_dump({"dataset": dataset}))
    (found,) = arena.read(folder)
    assert found.error is None
    task = found.task
    assert (task.family, task.subgroup, task.name) == ("srsd", "srsd-feynman_easy_dummy", "feynman-i.1.1")
    assert [variable.dummy for variable in task.features] == [False, True]
    assert task.provenance.licence == "CC BY 4.0"
    from tasks import formula

    rows = np.array([[3.0, 0.0], [4.0, 5.0]])
    np.testing.assert_allclose(formula.evaluate(task.formula, ("x0", "x1"), rows), [2.25, 3.0])


def test_columns_are_taken_by_name_whatever_their_order(tmp_path):
    folder = arena_task(tmp_path / "t")
    pd.read_csv(folder / "train.csv")[["target", "x1", "x0"]].to_csv(folder / "train.csv", index=False)
    (found,) = arena.read(folder)
    assert found.task.feature_names == ("x0", "x1")
    np.testing.assert_allclose(found.splits.train.y, found.splits.train.X.prod(axis=1))


def broken(tmp_path, what):
    folder = arena_task(tmp_path / "t")
    match what:
        case "nan row":
            frame = pd.read_csv(folder / "id_test.csv")
            frame.loc[136, "x1"] = np.nan
            frame.to_csv(folder / "id_test.csv", index=False)
        case "pickle":
            (folder / "train.pkl").write_bytes(b"\x80\x04cos\nsystem\n(S'true'\ntR.")
        case "climbing link":
            (tmp_path / "secret.csv").write_text((folder / "train.csv").read_text())
            (folder / "valid.csv").unlink()
            (folder / "valid.csv").symlink_to(tmp_path / "secret.csv")
        case "climbing name":
            metadata = yaml.safe_load((folder / "metadata.yaml").read_text())
            metadata["dataset"]["splits"] = {"train": {"file": "../../etc/passwd"}}
            (folder / "metadata.yaml").write_text(yaml.safe_dump(metadata))
        case "climbing formula":
            metadata = yaml.safe_load((folder / "metadata.yaml").read_text())
            metadata["dataset"]["ground_truth_formula"] = {"file": "/etc/hostname"}
            (folder / "metadata.yaml").write_text(yaml.safe_dump(metadata))
        case "huge":
            with (folder / "ood_test.csv").open("r+b") as out:
                out.truncate(300 * 1024 * 1024)
        case "other column":
            pd.read_csv(folder / "valid.csv").rename(columns={"x1": "x9"}).to_csv(
                folder / "valid.csv", index=False
            )
        case "no train":
            (folder / "train.csv").unlink()
        case "yaml tag":
            (folder / "metadata.yaml").write_text("!!python/object/apply:os.system ['true']\n")
        case "loop":
            (folder / "formula.py").write_text("def formula(x0, x1):\n    while True:\n        pass\n")
        case "import call":
            (folder / "formula.py").write_text(
                "def formula(x0, x1):\n    return __import__('os').getpid() * x0\n"
            )
        case "not python":
            (folder / "formula.py").write_text("def formula(:\n")
    return folder


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nan row", r"id_test.csv: column 'x1' is empty, NaN or infinite in data row 137"),
        ("pickle", r"holds train.pkl; pickles and object arrays are refused"),
        ("climbing link", r"valid.csv leads out of t"),
        ("climbing name", r"passwd leads out of t"),
        ("climbing formula", r"hostname leads out of t"),
        ("huge", r"ood_test.csv has 300 MB; text tables above 256 MB are refused"),
        ("other column", r"valid.csv lacks x1 and has x9 undeclared"),
        ("no train", r"train.csv is missing"),
        ("yaml tag", r"metadata.yaml is not plain YAML"),
        ("loop", r"formula.py line 2: a statement of the kind While is not read"),
        ("import call", r"formula.py line 2: .* is not a known function"),
        ("not python", r"formula.py is not Python"),
    ],
)
def test_each_fault_of_a_released_folder_has_its_sentence(tmp_path, what, said):
    import re

    (found,) = arena.read(broken(tmp_path, what))
    assert found.task is None
    assert re.search(said, found.error), found.error


def test_formula_files_are_never_executed(tmp_path):
    folder = arena_task(tmp_path / "t")
    (folder / "formula.py").write_text(TRAP + (folder / "formula.py").read_text())
    (found,) = arena.read(folder)
    assert found.error is None
    assert not (folder / "executed").exists()


def test_a_folder_that_links_elsewhere_is_refused_among_others(tmp_path):
    arena_task(tmp_path / "outside")
    arena_task(tmp_path / "pool" / "inside")
    found = arena.read(tmp_path / "pool")
    assert [one.name for one in found] == ["inside"]
    (tmp_path / "pool" / "linked").symlink_to(tmp_path / "outside", target_is_directory=True)
    errors = {one.name: one.error for one in arena.read(tmp_path / "pool") if one.name != "inside"}
    assert all("leads out of pool" in error for error in errors.values())
    with pytest.raises(TaskError, match=r"holds no metadata\.yaml"):
        arena.read(_empty(tmp_path))


def _empty(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_formula_files_may_assign_and_call_helpers():
    source = (
        "import numpy as np\n"
        "SCALE = 2.5\n"
        "def pdiv(a, b):\n"
        "    return np.where(np.abs(b) > 0.001, np.divide(a, b), 1.0)\n"
        "def formula(X):\n"
        '    """Docstring."""\n'
        "    a, b = X[:, 0], X[:, 1]\n"
        "    exponent = -a ** 2\n"
        "    with np.errstate(all='ignore'):\n"
        "        top = np.exp2(exponent) * SCALE\n"
        "        return pdiv(top, b) + np.power(a, 3) + np.pi\n"
    )
    text = formula_of(source, ("u", "v"))
    from tasks import formula

    rows = np.array([[0.5, 2.0], [1.5, -0.25]])
    u, v = rows.T
    np.testing.assert_allclose(
        formula.evaluate(text, ("u", "v"), rows), 2.0 ** (-(u**2)) * 2.5 / v + u**3 + np.pi
    )


def test_the_formula_files_we_write_are_read_back_for_every_task():
    from tasks import formula

    generator = np.random.default_rng(3)
    for task in catalogue.full():
        text = formula_of(export.formula_source(task), task.feature_names)
        rows = generator.uniform(0.5, 2.0, (3, len(task.features)))
        np.testing.assert_array_equal(
            formula.evaluate(text, task.feature_names, rows),
            formula.evaluate(task.formula, task.feature_names, rows),
        )


def test_recursive_helpers_end_in_a_sentence():
    source = "def g(a):\n    return g(a)\n\ndef formula(x0):\n    return g(x0)\n"
    with pytest.raises(TaskError, match="nested too deeply"):
        formula_of(source, ("x0",))


@given(st.text(alphabet="x01 +-*/()**,.:=[]\n\\'\"defrtunlambp\x00é", max_size=60))
def test_no_text_makes_the_formula_readers_fail_otherwise(text):
    for read in (expression, formula_of):
        with contextlib.suppress(TaskError):
            read(text, ("x0", "x1"), "text")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=80))
def test_no_bytes_make_the_table_reader_fail_otherwise(tmp_path, content):
    for name in ("a.csv", "a.tsv", "a.csv.gz", "a.npz", "a.parquet"):
        path = tmp_path / name
        path.write_bytes(content)
        with contextlib.suppress(TaskError):
            assert all(np.isfinite(values).all() for values in read_columns(path).values())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(alphabet="abc:-[]{}&*!|>#\n '\"0", max_size=60))
def test_no_metadata_make_the_folder_reader_fail_otherwise(tmp_path, content):
    folder = tmp_path / "t"
    folder.mkdir(exist_ok=True)
    (folder / "metadata.yaml").write_text(content)
    (found,) = arena.read(folder)
    assert found.error


def test_published_expressions_may_apply_states_to_time():
    assert expression("2*P(t)*Abs(t)", ("t", "P"), "BPG") == "2 * P * abs(t)"
    with pytest.raises(TaskError, match="'k_z' is neither a feature nor defined"):
        expression("k_z*A", ("t", "A"), "CRK")


def llm_release(root, expression_text="2*x**2 + 0.3", width=2):
    (root / "data").mkdir(parents=True)
    record = {
        "name": "BPG0",
        "symbols": ["dP_dt", "x"],
        "symbol_descs": ["growth", "population"],
        "symbol_properties": ["O", "V"],
        "expression": expression_text,
    }
    pd.DataFrame([record]).to_parquet(root / "data" / "lsr_synth_bio_pop_growth-00000-of-00001.parquet")
    with h5py.File(root / "lsr_bench_data.hdf5", "w") as out:
        group = out.create_group("lsr_synth/bio_pop_growth/BPG0")
        for name in ("train", "test", "ood_test"):
            x = np.linspace(0.1, 1.0, 16, dtype=np.float32)
            columns = [2 * x**2 + np.float32(0.3), x][:width]
            group.create_dataset(name, data=np.column_stack(columns).astype(np.float32))
    return root


def test_llm_srbench_is_read_from_hdf5_and_parquet(tmp_path):
    (found,) = llm_srbench.read(llm_release(tmp_path / "r"))
    assert found.error is None
    assert (found.task.family, found.task.subgroup, found.task.target.name) == (
        "llm-srbench",
        "bio_pop_growth",
        "dP_dt",
    )
    assert found.task.features[0].description == "population"
    assert (found.splits.train.rows, found.splits.valid, found.splits.ood.rows) == (16, None, 16)
    (mangled,) = llm_srbench.read(llm_release(tmp_path / "m", "0.19_z*x"))
    assert mangled.task.formula is None
    assert "kept without a ground truth" in mangled.notes[0]
    (narrow,) = llm_srbench.read(llm_release(tmp_path / "n", width=1))
    assert "has the shape (16, 1), not (rows, 2)" in narrow.error


def test_llm_srbench_faults(tmp_path):
    with pytest.raises(TaskError, match="there is nothing at"):
        llm_srbench.read(tmp_path / "none")
    with pytest.raises(TaskError, match="holds 0 HDF5 files"):
        llm_srbench.read(_empty(tmp_path))
    release = llm_release(tmp_path / "r")
    (release / "lsr_bench_data.hdf5").write_bytes(b"nothing")
    with pytest.raises(TaskError, match="cannot be read"):
        llm_srbench.read(release)


def test_llm_srbench_links_out_of_the_file_are_refused(tmp_path):
    release = llm_release(tmp_path / "r")
    with h5py.File(tmp_path / "elsewhere.hdf5", "w") as other:
        other["secret"] = np.ones((16, 2))
    with h5py.File(release / "lsr_bench_data.hdf5", "r+") as file:
        group = file["lsr_synth/bio_pop_growth/BPG0"]
        del group["train"]
        group["train"] = h5py.ExternalLink(str(tmp_path / "elsewhere.hdf5"), "/secret")
    (found,) = llm_srbench.read(release)
    assert found.error == (
        "/lsr_synth/bio_pop_growth/BPG0/train is a link; only data inside the file itself are read"
    )


def srsd_release(root):
    generator = np.random.default_rng(1)
    for split, rows in (("train", 80), ("val", 10), ("test", 10)):
        (root / split).mkdir(parents=True)
        X = generator.uniform(1, 2, (rows, 2))
        np.savetxt(root / split / "feynman-i.12.1.txt", np.column_stack([X, X[:, 0] * X[:, 1]]))
    (root / "true_eq").mkdir()
    (root / "true_eq" / "feynman-i.12.1.pkl").write_bytes(b"\x80\x04.")
    (root / "supp_info.json").write_text(json.dumps({"feynman-i.12.1": {"sympy_eq_str": "x0*x1"}}))
    return root


def test_srsd_text_files_are_read_and_pickles_never(tmp_path):
    root = srsd_release(tmp_path / "srsd-feynman_easy")
    (found,) = srsd.read(root)
    assert (found.task.subgroup, found.task.formula) == ("srsd-feynman_easy", "x0 * x1")
    assert (found.splits.train.rows, found.splits.valid.rows, found.splits.id.rows) == (80, 10, 10)
    with pytest.raises(TaskError, match="is a pickle; pickles are refused"):
        srsd.read(root / "true_eq" / "feynman-i.12.1.pkl")
    (root / "val" / "feynman-i.12.1.txt").write_text("1 2 3\n4 nan 6\n")
    (bad,) = srsd.read(root)
    assert "val/feynman-i.12.1.txt holds NaN or infinite values in row 1" in bad.error
    with pytest.raises(TaskError, match="no SRSD release"):
        srsd.read(_empty(tmp_path))


def test_pmlb_datasets_are_read_with_their_metadata(tmp_path):
    folder = tmp_path / "feynman_I_12_1"
    folder.mkdir()
    generator = np.random.default_rng(2)
    X = generator.uniform(1, 5, (100, 2))
    lines = ["mu\tNn\ttarget"] + ["\t".join(map(repr, (a, b, a * b))) for a, b in X.tolist()]
    (folder / "feynman_I_12_1.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    metadata = {
        "task": "regression",
        "description": "A set.\n\nFormula: F = mu*Nn\n",
        "features": [{"name": "mu", "description": "coefficient"}, {"name": "Nn"}],
    }
    (folder / "metadata.yaml").write_text(yaml.safe_dump(metadata))
    (found,) = pmlb.read(tmp_path)
    assert (found.task.formula, found.task.subgroup) == ("mu * Nn", "feynman")
    assert found.task.features[0].description == "coefficient"
    assert (found.splits.train.rows, found.splits.ood) == (80, None)
    (folder / "feynman_I_12_1.tsv.gz").write_bytes(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
    )
    (pointer,) = pmlb.read(folder)
    assert "is a Git LFS pointer" in pointer.error
    (folder / "metadata.yaml").write_text(yaml.safe_dump({"task": "classification"}))
    (wrong,) = pmlb.read(folder)
    assert wrong.error


def test_a_plain_table_becomes_one_task(tmp_path):
    path = tmp_path / "mine.csv"
    pd.DataFrame({"a": np.arange(20.0), "t": np.arange(20.0) * 2}).to_csv(path, index=False)
    (found,) = plain.read(path, "t", truth="2*a", name="Mine")
    assert found.task.name == "Mine"
    assert found.task.id.startswith("i")

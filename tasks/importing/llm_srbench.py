"""LLM-SRBench: one HDF5 file of samples and Parquet files with symbols, meanings and expressions."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.errors import TaskError
from tasks.importing.found import Facts, Found, build
from tasks.importing.python_formula import expression
from tasks.schema import Splits, Table, Variable

MOST_VALUES = 50_000_000
"""Values of one dataset that are read: 400 MB."""
SPLITS = {
    "train": ("train", "train_data"),
    "id": ("test", "id_test_data"),
    "ood": ("ood_test", "ood_test_data"),
}
"""Dataset names of each split; the first column is the target, as ``symbols`` lists it first."""


def _places(path: Path) -> tuple[Path, list[Path]]:
    if path.is_file():
        root, samples = path.parent, [path]
    elif path.is_dir():
        root, samples = path, sorted([*path.glob("*.hdf5"), *path.glob("*.h5")])
    else:
        raise TaskError(f"there is nothing at {path}")
    if len(samples) != 1:
        raise TaskError(f"{root} holds {len(samples)} HDF5 files; name the one with the samples")
    metadata = sorted([*root.glob("*.parquet"), *root.glob("data/*.parquet")])
    if not metadata:
        raise TaskError(f"{root} holds no Parquet files with the metadata, neither there nor in data/")
    return samples[0], metadata


def _group(stem: str, name: str) -> tuple[str, str]:
    """Return the HDF5 group and the subgroup of a task from its metadata file's name."""
    part = stem.split("-", maxsplit=1)[0]
    if part == "lsr_transform":
        return f"lsr_transform/{name}", "lsrtransform"
    domain = part.removeprefix("lsr_synth_")
    return f"lsr_synth/{domain}/{name}", domain


def _refuse_links(samples: Any, place: str) -> None:  # noqa: ANN401 - h5py is untyped
    import h5py

    path = ""
    for part in place.split("/"):
        path = f"{path}/{part}"
        link = samples.get(path, getlink=True)
        if link is None:
            raise TaskError(f"the HDF5 file has no group {place}")
        if not isinstance(link, h5py.HardLink):
            raise TaskError(f"{path} is a link; only data inside the file itself are read")


def _values(samples: Any, place: str) -> NDArray[np.float64]:  # noqa: ANN401 - h5py is untyped
    """Return a dataset's values if they lie in the file itself and are of a bearable size."""
    import h5py

    _refuse_links(samples, place)
    dataset = samples[place]
    if not isinstance(dataset, h5py.Dataset) or dataset.external or dataset.is_virtual:
        raise TaskError(f"{place} has its data elsewhere; only data inside the file itself are read")
    if dataset.size > MOST_VALUES:
        raise TaskError(f"{place} has {dataset.size} values; at most {MOST_VALUES} are read")
    return np.asarray(dataset[...], dtype=np.float64)


def _table(names: tuple[str, ...], values: NDArray[np.float64], place: str) -> Table:
    if values.ndim != 2 or values.shape[1] != len(names) + 1:
        raise TaskError(f"{place} has the shape {values.shape}, not (rows, {len(names) + 1})")
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise TaskError(f"{place} holds NaN or infinite values in row {bad[0]}")
    return Table(names, np.ascontiguousarray(values[:, 1:]), values[:, 0].copy())


def _one(samples: Any, stem: str, record: dict[str, Any]) -> Found:  # noqa: ANN401 - h5py is untyped
    name = str(record["name"])
    group, subgroup = _group(stem, name)
    try:
        _refuse_links(samples, group)
        symbols = [str(symbol) for symbol in record["symbols"]]
        kinds = [str(kind) for kind in record["symbol_properties"]]
        meanings = [str(meaning) for meaning in record["symbol_descs"]]
        columns = [place for place, kind in enumerate(kinds) if kind[:1] in ("O", "V")]
        if not columns or kinds[columns[0]][:1] != "O":
            raise TaskError(f"the metadata of {name} does not list the output first")
        variables = tuple(Variable(symbols[j], meanings[j]) for j in columns)
        features = tuple(variable.name for variable in variables[1:])
        tables = {}
        for split, spellings in SPLITS.items():
            found = next((spelling for spelling in spellings if spelling in samples[group]), None)
            if found is not None:
                values = _values(samples, f"{group}/{found}")
                tables[split] = _table(features, values, f"{group}/{found}")
        if "train" not in tables:
            raise TaskError(f"{group} has no training samples")
        text, notes, parsed = str(record["expression"]), [], None
        try:
            parsed = expression(text, features, name)
        except TaskError as error:
            notes.append(f"kept without a ground truth: {error}")
        facts = Facts(
            name,
            "llm-srbench",
            subgroup,
            variables[1:],
            variables[0],
            parsed,
            text,
            "LLM-SRBench release",
            "MIT",
        )
        splits = Splits(tables["train"], None, tables.get("id"), tables.get("ood"))
        return Found(name, group, build(facts, splits), splits, tuple(notes))
    except TaskError as error:
        return Found(name, group, error=str(error))


def read(path: Path) -> tuple[Found, ...]:
    """Read an LLM-SRBench release.

    Parameters
    ----------
    path : pathlib.Path
        The folder of the HDF5 file, or the file; metadata lie beside it or in ``data/``.

    Returns
    -------
    tuple of Found
        One per line of the metadata.

    Raises
    ------
    TaskError
        When the files are missing or no HDF5 and Parquet.
    """
    import h5py
    import pandas as pd

    file, metadata = _places(path)
    found: list[Found] = []
    try:
        with h5py.File(file, "r") as samples:
            for place in metadata:
                frame = pd.read_parquet(place)
                wanted = ["name", "symbols", "symbol_descs", "symbol_properties", "expression"]
                missing = [column for column in wanted if column not in frame.columns]
                if missing:
                    raise TaskError(f"{place.name} lacks the columns {', '.join(missing)}")
                records = frame[wanted].to_dict("records")
                found.extend(_one(samples, place.stem, {str(k): v for k, v in r.items()}) for r in records)
    except (OSError, ValueError) as error:
        if isinstance(error, TaskError):
            raise
        raise TaskError(f"{file.name} or its metadata cannot be read: {error}") from error
    return tuple(found)

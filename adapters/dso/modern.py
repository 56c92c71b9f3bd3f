"""Gives an unmodified DSO checkout the old names it imports, in memory and for this process only.

DSO was written for TensorFlow 1.14 and Python 3.7. Everything it uses of them still exists in TensorFlow
2.15 under ``tf.compat.v1``; what is set here are aliases.
"""

import collections
import collections.abc
import os
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

from adapters.errors import AdapterError

_OLD_COLLECTIONS = ("Mapping", "MutableMapping", "Sequence", "Iterable", "Callable", "Hashable", "Set")
_OLD_NUMPY = {"bool": bool, "int": int, "float": float, "object": object, "str": str}


def import_dso(source: str | None) -> Any:  # noqa: ANN401
    """Import ``dso`` from a checkout and return the package.

    Parameters
    ----------
    source : str or None
        Folder of the checkout.

    Raises
    ------
    AdapterError
        When no checkout was named.
    """
    if source is None:
        message = "dso needs its checkout; run: arena-tui methods install dso --source PATH_OR_GIT_URL"
        raise AdapterError(message)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    _alias_tensorflow()
    for name in _OLD_COLLECTIONS:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    for name, kind in _OLD_NUMPY.items():
        if name not in vars(np):
            setattr(np, name, kind)
    sys.path.insert(0, str(Path(source) / "dso"))
    import dso
    import dso.execute

    if dso.execute.cyfunc is None:
        # Without the compiled core upstream falls back on an import error that it swallowed before:
        # the name has to be absent for its own pure Python code to be taken.
        del dso.execute.cython_execute
    return dso


def _alias_tensorflow() -> None:
    import tensorflow as tf

    old = tf.compat.v1
    old.disable_v2_behavior()
    cells = old.nn.rnn_cell
    contrib = types.ModuleType("tensorflow.contrib")
    rnn = types.ModuleType("tensorflow.contrib.rnn")
    layers = types.ModuleType("tensorflow.contrib.layers")
    vars(rnn).update(LayerRNNCell=cells.RNNCell, MultiRNNCell=cells.MultiRNNCell)
    vars(layers).update(variance_scaling_initializer=_variance_scaling(old))
    vars(contrib).update(rnn=rnn, layers=layers)
    vars(old).update(contrib=contrib)
    sys.modules["tensorflow"] = old
    sys.modules["tensorflow.contrib"] = contrib
    sys.modules["tensorflow.contrib.rnn"] = rnn
    sys.modules["tensorflow.contrib.layers"] = layers


def _variance_scaling(old: Any) -> Any:  # noqa: ANN401
    def initializer(factor: float = 2.0, mode: str = "FAN_IN", **_: object) -> Any:  # noqa: ANN401
        return old.variance_scaling_initializer(scale=factor, mode=mode.lower())

    return initializer

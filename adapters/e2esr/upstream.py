"""What E2ESR's checkout of 2022 needs of today's torch, set in memory and for this process only."""

import random
import sys
from typing import Any

import numpy as np

from adapters.e2esr.trees import relabelled
from adapters.errors import AdapterError
from adapters.interface import Request


def import_upstream(request: Request, name: str) -> Any:  # noqa: ANN401
    """Make the checkout importable, seed everything it draws from, and return torch.

    Parameters
    ----------
    request : Request
        Names the checkout, the weights, the seed and the threads.
    name : str
        The method, for error sentences.

    Raises
    ------
    AdapterError
        When checkout or weights were not named at installation.
    """
    if request.source is None:
        message = f"{name} needs its checkout; run: arena-tui methods install {name} --source PATH_OR_GIT_URL"
        raise AdapterError(message)
    if request.weights is None:
        message = f"{name} needs its pretrained weights; run: arena-tui methods install {name} --weights FILE"
        raise AdapterError(message)
    import torch

    sys.path.insert(0, request.source)
    _accept_byte_masks(torch)
    torch.set_num_threads(request.threads)
    # Table 17: one interop thread.
    torch.set_num_interop_threads(1)
    torch.manual_seed(request.seed)
    random.seed(request.seed)
    # Upstream draws from NumPy's legacy generator.
    np.random.seed(request.seed)  # noqa: NPY002
    return torch


def load_model(torch: Any, weights: str | None) -> Any:  # noqa: ANN401
    """Return the pretrained model in evaluation mode; the file is a pickle that the user chose to trust."""
    model = torch.load(weights, map_location="cpu", weights_only=False)
    for part in (model.embedder, model.encoder, model.decoder):
        part.eval()
    return model


def scaler_that_ends(base: Any) -> Any:  # noqa: ANN401
    """Return upstream's scaler with a rescaling that ends for every tree.

    The decoder may name variables that the data do not have. Upstream counts them as zero where it
    evaluates a tree, and never comes back where it rescales one; so they are zero before.

    Parameters
    ----------
    base : type
        StandardScaler of the checkout's ``symbolicregression.model.utils_wrapper``.
    """

    def rescaled(scaler: Any, env: Any, tree: Any, a: Any, b: Any) -> Any:  # noqa: ANN401
        return base.rescale_function(scaler, env, relabelled(tree, range(len(a))), a, b)

    return type("Scaler", (base,), {"rescale_function": rescaled})


def _accept_byte_masks(torch: Any) -> None:  # noqa: ANN401
    """Let masked_fill take the uint8 masks that torch took in 2022."""
    for name in ("masked_fill", "masked_fill_"):
        original = getattr(torch.Tensor, name)

        def masked(tensor: Any, mask: Any, value: Any, *, call: Any = original) -> Any:  # noqa: ANN401
            return call(tensor, mask.bool(), value)

        setattr(torch.Tensor, name, masked)

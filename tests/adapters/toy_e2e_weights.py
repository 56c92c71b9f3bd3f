"""Trains toy weights for E2ESR and TPSR with upstream's own generator and modules.

They prove the code path and nothing about quality. Run by the interpreter of E2ESR's environment:
``python toy_e2e_weights.py CHECKOUT OUTPUT SECONDS``.
"""

import os
import sys
import time
import types
from pathlib import Path


def main(source, output, seconds):
    sys.path.insert(0, source)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import numpy as np
    import torch

    from adapters.e2esr.upstream import _accept_byte_masks

    _accept_byte_masks(torch)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 - upstream draws from it
    # Upstream's trainer imports plotting packages that training does not use.
    for name in ("seaborn", "matplotlib", "matplotlib.pyplot", "matplotlib.pylab"):
        sys.modules[name] = types.ModuleType(name)
    import symbolicregression
    from parsers import get_parser
    from symbolicregression.envs import build_env
    from symbolicregression.model import build_modules
    from symbolicregression.model.model_wrapper import ModelWrapper
    from symbolicregression.trainer import Trainer

    words = (
        "--cpu True --num_workers 0 --batch_size 16 --max_len 60 "
        "--collate_queue_size 64 --tokens_per_batch 4000 --max_input_dimension 3 "
        "--min_input_dimension 1 --max_output_dimension 1 "
        "--n_enc_layers 2 --n_dec_layers 2 --enc_emb_dim 128 --dec_emb_dim 128 --emb_emb_dim 32 "
        "--n_enc_heads 4 --n_dec_heads 4 --max_binary_ops_per_dim 1 --max_unary_ops 2 "
        "--exp_name toy --dump_path " + os.environ.get("TMPDIR", "/tmp")
    ).split()
    params = get_parser().parse_args(words)
    params.is_slurm_job, params.local_rank, params.multi_gpu = False, -1, False
    params.master, params.is_master, params.global_rank, params.world_size = 0, True, 0, 1
    params.n_nodes, params.node_id, params.n_gpu_per_node, params.eval_only = 1, 0, 1, False
    symbolicregression.utils.CUDA = False
    env = build_env(params)
    modules = build_modules(env, params)

    class Toy(Trainer):
        def set_optimizer(self):
            self.optimizer = torch.optim.Adam(self.parameters["model"], lr=5e-4)

    trainer = Toy(modules, env, params)
    began, steps = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        trainer.enc_dec_step(params.tasks[0])
        trainer.iter()
        steps += 1
    model = ModelWrapper(
        env=env,
        embedder=modules["embedder"],
        encoder=modules["encoder"],
        decoder=modules["decoder"],
        beam_type="sampling",
        beam_size=10,
        max_generated_output_len=60,
    )
    torch.save(model, output)
    print(f"{steps} steps in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))

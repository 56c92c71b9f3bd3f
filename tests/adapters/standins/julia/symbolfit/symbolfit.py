"""Runs its PySR search in scaled columns below ./outputs_tmp, as the real one does, and makes a table."""

import shutil


class Table:
    def __init__(self, rows):
        self.rows = rows

    def to_dict(self, orient):
        assert orient == "records"
        return self.rows


class SymbolFit:
    def __init__(self, *, x, y, pysr_config, input_rescale, scale_y_by, random_seed, **options):
        assert input_rescale
        assert scale_y_by == "mean"
        assert y.ndim == 2
        assert options["fit_y_unc"] is False
        self.x, self.y, self.search = x, y, pysr_config

    def fit(self):
        self.search.set_params(output_directory="outputs_tmp")
        self.search.fit(self.x, self.y)
        shutil.rmtree("outputs_tmp")
        row = {
            "Parameterized equation, unscaled": "a1*x0*x1 + a2*x0",
            "Parameters: (best-fit, +1, -1)": {"a1": (1.0, 0, 0), "a2": (1.0, 0, 0)},
            "RMSE": 1e-7,
            "Complexity": 5,
        }
        self.func_candidates = Table([row | {"RMSE": 3.0}, row])

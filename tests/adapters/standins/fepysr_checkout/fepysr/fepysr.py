"""Two engineered features, then the search that it is handed."""

import numpy as np
import torch


def pysr_train(data, cfg, model=None):
    model.fit(data, None)
    return model.get_best(), 1.0, 1.0, model


class FePySR:
    def __init__(self, overrides):
        assert "FMN.num_epochs=30" in overrides
        assert "Parallel.num_experiments=8" in overrides

    def fit(self, X, y):
        assert y.numpy().shape == (len(X.numpy()), 1)
        self.feature_names_ = ["X1", "sin(X0)"]
        best, *_ = pysr_train(X.numpy(), None, None)
        self.best_model_ = best
        self.best_equation_ = "X1^2 + sin(X0)"
        return self

    def predict(self, X):
        values = X.numpy()
        return torch.Tensor((values[:, 1] ** 2 + np.sin(values[:, 0])).reshape(-1, 1))

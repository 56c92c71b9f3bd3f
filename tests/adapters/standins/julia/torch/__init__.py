"""Stands in for the few names of torch that FePySR's adapter uses."""

import numpy as np

float64 = np.float64


class Tensor:
    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def numpy(self):
        return self.values


def tensor(values, dtype):
    return Tensor(np.asarray(values, dtype=dtype))


def manual_seed(seed):
    assert seed == 520


def set_num_threads(count):
    assert count == 1

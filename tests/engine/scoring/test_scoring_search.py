import math

import numpy as np
import pytest

from engine.scoring.search import Seed, checkpoint_quality, efficiency, pairs, stability


def test_eff_by_hand():
    assert efficiency([0.0, 0.5, 1.0, 1.0]) == pytest.approx(2.5 / 4)
    assert efficiency([0.2, 0.4, 0.1]) == pytest.approx((0.5 + 1.0 + 0.25) / 3)


def test_eff_of_a_flat_search_is_one_and_of_none_is_zero():
    assert efficiency([0.3] * 180) == pytest.approx(1.0)
    assert efficiency([0.0] * 180) == 0.0


def test_an_unavailable_checkpoint_blocks_eff():
    assert efficiency([0.1, None, 0.2]) is None
    assert efficiency(np.array([0.1, math.nan])) is None
    assert efficiency([]) is None


def test_quality_of_a_checkpoint_without_ood_is_id_alone():
    assert checkpoint_quality(0.4, 0.8) == pytest.approx(0.6)
    assert checkpoint_quality(0.4, None) == 0.4


def test_stab_by_hand():
    seeds = [Seed(0.9, 0.8, True), Seed(0.5, 0.6, True), Seed(0.0, 0.0, False)]
    result = stability(seeds, {(0, 1): "same_structure"})
    # gaps: (0.4+0.2)/2 = 0.3, (0.9+0.8)/2 = 0.85, (0.5+0.6)/2 = 0.55
    assert result.numerical == pytest.approx(1 - (0.3 + 0.85 + 0.55) / 3)
    assert result.validity == pytest.approx(2 / 3)
    assert result.structural == pytest.approx(1 / 3)
    assert result.value == pytest.approx(((1 - 1.7 / 3) * 2 / 3 / 3) ** (1 / 3))


@pytest.mark.parametrize("verdict", ["different", "undetermined", "not_applicable"])
def test_only_positive_verdicts_count(verdict):
    seeds = [Seed(0.5, 0.5, True)] * 2
    assert stability(seeds, {(0, 1): verdict}).structural == 0.0
    assert stability(seeds, {(0, 1): "equivalent"}).value == pytest.approx(1.0)


def test_stab_for_any_number_of_seeds():
    assert stability([Seed(1.0, 1.0, True)], {}) is None
    five = [Seed(0.1 * k, None, True) for k in range(5)]
    verdicts = dict.fromkeys(pairs(5), "equivalent")
    mean_gap = sum(0.1 * (j - i) for i, j in pairs(5)) / 10
    assert stability(five, verdicts).numerical == pytest.approx(1 - mean_gap)


def test_a_missing_judgment_of_a_valid_pair_is_an_error():
    with pytest.raises(KeyError):
        stability([Seed(1.0, 1.0, True)] * 2, {})

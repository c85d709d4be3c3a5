"""Makes statistics.json, the figures that the tests of bench/stats compare with.

    python3 -m venv env && env/bin/pip install scipy==1.17.1 && env/bin/python make.py
"""

import json
import pathlib

import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(20130813)


def listed(values):
    return list(map(float, values))


def median(samples):
    find = lambda x, axis=-1: numpy.median(x, axis=axis)
    interval = stats.bootstrap(
        (samples,), find, n_resamples=20000, method="percentile", random_state=random
    ).confidence_interval
    return {
        "samples": listed(samples),
        "median": float(numpy.median(samples)),
        "interval": [interval.low, interval.high],
    }


def pair(a, b):
    """Mann-Whitney's test of samples without ties."""
    return {"a": listed(a), "b": listed(b), "p": stats.mannwhitneyu(a, b, method="exact").pvalue}


def sign(differences):
    """Wilcoxon's signed-rank test of differences without ties."""
    return {"differences": listed(differences), "p": stats.wilcoxon(differences, method="exact").pvalue}


def walk(samples):
    found = stats.kendalltau(range(len(samples)), samples, method="asymptotic")
    return {"samples": listed(samples), "tau": found.statistic, "p": found.pvalue}


def equivalence(a, b, margin):
    """Two one-sided tests of each kind on the ratio; the smaller p of a side counts twice."""
    factor = 1 + margin / 100

    def side(scale, alternative):
        scaled = numpy.array(a) * scale
        rounds = stats.wilcoxon(numpy.log(scaled / b), alternative=alternative, method="exact").pvalue
        apart = stats.mannwhitneyu(scaled, b, alternative=alternative, method="exact").pvalue
        return 2 * min(rounds, apart)

    p = max(side(factor, "greater"), side(1 / factor, "less"))
    return {"a": listed(a), "b": listed(b), "margin": margin, "p": p}


def normal(mean, deviation, count):
    return random.normal(mean, deviation, count).round(6)


common = random.normal(0, 8, 30)
rounds = random.lognormal(0, 0.3, 30)
result = {
    "made": f"scipy {scipy.__version__}, numpy {numpy.__version__}",
    "medians": [
        median(normal(100, 5, 30)),
        median(random.lognormal(3, 0.4, 30)),
        median(normal(50, 5, 7)),
        median(random.integers(10, 16, 25)),
    ],
    "pairs": [
        pair(normal(100, 5, 30), normal(104, 5, 30)),
        pair(random.lognormal(3, 0.4, 30), random.lognormal(3, 0.4, 30)),
        pair(normal(100, 2, 30) + common, normal(110, 2, 30) + common),
        pair(normal(50, 5, 7), normal(58, 5, 8)),
        pair([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        pair(normal(10, 1, 40), normal(20, 1, 40)),
    ],
    "signs": [
        sign(normal(0.3, 1, 10)),
        sign(normal(0, 1, 30)),
        sign(normal(-0.5, 1, 30)),
        sign([1.0, 2.1, 3.2, 4.3, 5.4, 6.5]),
        sign(normal(0.2, 1, 60)),
    ],
    "walks": [
        walk(normal(100, 5, 30)),
        walk(normal(100, 5, 30) + numpy.arange(30) * 0.4),
        walk(normal(100, 5, 60) - numpy.arange(60) * 0.2),
        walk(random.integers(10, 16, 40) + numpy.arange(40) // 10),
    ],
    "equivalence": [
        equivalence(normal(100, 1, 30) * rounds, normal(100.5, 1, 30) * rounds, 5),
        equivalence(normal(100, 1, 10), normal(101, 1, 10), 5),
        equivalence(normal(100, 4, 12), normal(101, 4, 12), 5),
        equivalence(normal(100, 0.3, 15), normal(100.5, 0.3, 15), 2),
    ],
}
path = pathlib.Path(__file__).with_name("statistics.json")
path.write_text(json.dumps(result, indent=1) + "\n")

"""Makes statistics.json, the figures that test/bench/stats.test.js holds the harness against.

    python3 -m venv env && env/bin/pip install scipy==1.17.1 && env/bin/python make.py
"""

import json
import pathlib

import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(20130813)


def two(a, b):
    ours = stats.mannwhitneyu(a, b, alternative="two-sided", method="auto")
    asked = lambda x, axis=-1: numpy.median(x, axis=axis)
    interval = stats.bootstrap(
        (numpy.array(a),), asked, n_resamples=20000, method="percentile", random_state=random
    ).confidence_interval
    ratio = lambda x, y, axis=-1: numpy.median(x, axis=axis) / numpy.median(y, axis=axis)
    apart = stats.bootstrap(
        (a, b), ratio, n_resamples=20000, method="percentile", random_state=random
    ).confidence_interval
    case = {
        "a": list(map(float, a)),
        "b": list(map(float, b)),
        "u": ours.statistic,
        "p": ours.pvalue,
        "medianA": float(numpy.median(a)),
        "medianInterval": [interval.low, interval.high],
        "ratio": float(numpy.median(a) / numpy.median(b)),
        "ratioInterval": [apart.low, apart.high],
    }
    if len(a) == len(b):
        together = stats.bootstrap(
            (a, b), ratio, n_resamples=20000, paired=True, method="percentile", random_state=random
        ).confidence_interval
        case["pairedInterval"] = [together.low, together.high]
    return case


def walk(values):
    found = stats.kendalltau(range(len(values)), values)
    return {"samples": list(map(float, values)), "tau": found.statistic, "p": found.pvalue}


common = random.normal(0, 8, 30)
result = {
    "made": f"scipy {scipy.__version__}, numpy {numpy.__version__}",
    "pairs": [
        two(random.normal(100, 5, 30).round(3), random.normal(104, 5, 30).round(3)),
        two(random.lognormal(3, 0.4, 30).round(3), random.lognormal(3, 0.4, 30).round(3)),
        two((random.normal(100, 2, 30) + common).round(3), (random.normal(110, 2, 30) + common).round(3)),
        two(random.normal(50, 5, 7).round(3), random.normal(58, 5, 8).round(3)),
        two([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        two(random.integers(10, 16, 25), random.integers(12, 18, 20)),
        two(random.normal(10, 1, 40).round(3), random.normal(20, 1, 40).round(3)),
    ],
    "walks": [
        walk(random.normal(100, 5, 30).round(3)),
        walk((random.normal(100, 5, 30) + numpy.arange(30) * 0.4).round(3)),
        walk((random.normal(100, 5, 60) - numpy.arange(60) * 0.2).round(3)),
        walk(random.integers(10, 16, 40) + numpy.arange(40) // 10),
    ],
    "holm": [],
}
for raw in ([0.01, 0.04, 0.03, 0.005], [0.2, 0.001, 0.9, 0.04, 0.04], [0.03]):
    # scipy has Benjamini-Hochberg only; Holm's steps written out (Holm 1979).
    order = numpy.argsort(raw, kind="stable")
    steps = numpy.maximum.accumulate([(len(raw) - i) * raw[at] for i, at in enumerate(order)])
    corrected = numpy.empty(len(raw))
    corrected[order] = numpy.minimum(1, steps)
    result["holm"].append({"p": raw, "corrected": corrected.tolist()})

path = pathlib.Path(__file__).with_name("statistics.json")
path.write_text(json.dumps(result, indent=1) + "\n")

"""Makes statistics.json, the figures that the tests of bench/stats compare with.

    python3 -m venv env && env/bin/pip install scipy==1.17.1 && env/bin/python make.py
"""

import collections
import fractions
import json
import pathlib

import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(20130813)


def counted(a, b):
    """Mann-Whitney's p with ties, in whole numbers, because SciPy cannot count that many orders."""
    ranks = [int(2 * rank) for rank in stats.rankdata([*a, *b])]
    ways = {(0, 0): 1}
    for rank in ranks:
        more = collections.Counter(ways)
        for (k, total), count in ways.items():
            if k < len(a):
                more[k + 1, total + rank] += count
        ways = more
    sums = {total: count for (k, total), count in ways.items() if k == len(a)}
    mine = sum(ranks[: len(a)])
    low = sum(count for total, count in sums.items() if total <= mine)
    high = sum(count for total, count in sums.items() if total >= mine)
    return float(min(1, fractions.Fraction(2 * min(low, high), sum(sums.values()))))


def two(a, b):
    n, m = len(a), len(b)
    tied = len(set(a) | set(b)) < n + m
    if tied and n + m <= 16:
        # The method "exact" ignores ties.
        ours = stats.mannwhitneyu(a, b, method=stats.PermutationMethod(n_resamples=10**6))
    elif not tied and n + m <= 80:
        ours = stats.mannwhitneyu(a, b, method="exact")
    else:
        ours = stats.mannwhitneyu(a, b, method="asymptotic")
    p = counted(a, b) if tied and 16 < n + m <= 80 else ours.pvalue
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
        "p": p,
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
        two(random.normal(10, 1, 60).round(6), random.normal(10.4, 1, 50).round(6)),
        two(random.integers(10, 15, 7), random.integers(12, 17, 8)),
        two(random.integers(10, 12, 8), random.integers(10, 14, 8)),
        two(numpy.arange(10) + 100.0, numpy.arange(10) + 0.5),
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
    # SciPy has only Benjamini-Hochberg. These are the steps of Holm (1979).
    order = numpy.argsort(raw, kind="stable")
    steps = numpy.maximum.accumulate([(len(raw) - i) * raw[at] for i, at in enumerate(order)])
    corrected = numpy.empty(len(raw))
    corrected[order] = numpy.minimum(1, steps)
    result["holm"].append({"p": raw, "corrected": corrected.tolist()})



def counted_signs(differences):
    """Wilcoxon's one-sided p-values with ties, in whole numbers. Zeros are left out."""
    kept = [value for value in differences if value != 0]
    ranks = [int(2 * rank) for rank in stats.rankdata(numpy.abs(kept))]
    ways = collections.Counter({0: 1})
    for rank in ranks:
        more = collections.Counter(ways)
        for total, count in ways.items():
            more[total + rank] += count
        ways = more
    mine = sum(rank for rank, value in zip(ranks, kept) if value > 0)
    all_ways = 2 ** len(kept)
    less = fractions.Fraction(sum(count for total, count in ways.items() if total <= mine), all_ways)
    greater = fractions.Fraction(sum(count for total, count in ways.items() if total >= mine), all_ways)
    return float(less), float(greater)


def signs(values):
    """Wilcoxon's signed-rank test of differences."""
    values = numpy.array(values, dtype=float)
    kept = values[values != 0]
    tied = len(set(numpy.abs(kept))) < len(kept)
    if len(kept) > 200:
        ask = lambda side: stats.wilcoxon(values, alternative=side, method="asymptotic", correction=True)
        less, greater, both = (ask(side).pvalue for side in ("less", "greater", "two-sided"))
    elif tied or len(kept) < len(values):
        less, greater = counted_signs(values)
        both = min(1, 2 * min(less, greater))
    else:
        ask = lambda side: stats.wilcoxon(values, alternative=side, method="exact")
        less, greater, both = (ask(side).pvalue for side in ("less", "greater", "two-sided"))
    ranks = stats.rankdata(numpy.abs(kept))
    positive = float(ranks[kept > 0].sum())
    return {"differences": values.tolist(), "w": positive, "p": both, "less": less, "greater": greater}


def equivalence(a, b, margin):
    """Two one-sided tests of each kind on the ratio; the smaller p of a side counts twice."""
    factor = 1 + margin / 100

    def side(scale, alternative):
        scaled = numpy.array(a) * scale
        rounds = stats.wilcoxon(numpy.log(scaled / b), alternative=alternative, method="exact").pvalue
        apart = stats.mannwhitneyu(scaled, b, alternative=alternative, method="exact").pvalue
        return min(1, 2 * min(rounds, apart))

    p = max(side(factor, "greater"), side(1 / factor, "less"))
    return {"a": list(map(float, a)), "b": list(map(float, b)), "margin": margin, "p": p}


result["oneSided"] = [
    {
        "a": case["a"],
        "b": case["b"],
        "less": stats.mannwhitneyu(case["a"], case["b"], alternative="less", method="exact").pvalue,
        "greater": stats.mannwhitneyu(case["a"], case["b"], alternative="greater", method="exact").pvalue,
    }
    for case in result["pairs"]
    if len({*case["a"], *case["b"]}) == len(case["a"]) + len(case["b"]) <= 80
]
result["signs"] = [
    signs(random.normal(0.3, 1, 10).round(4)),
    signs(random.normal(0, 1, 30).round(5)),
    signs(random.normal(-0.5, 1, 30).round(5)),
    signs([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    signs(random.integers(-3, 5, 20)),
    signs(random.integers(-9, 7, 40)),
    signs(random.normal(0.2, 1, 60).round(6)),
    signs(random.normal(0.1, 1, 250).round(6)),
    signs(random.integers(-40, 45, 260)),
]
rounds = random.lognormal(0, 0.3, 30)
result["equivalence"] = [
    equivalence((random.normal(100, 1, 30) * rounds).round(4), (random.normal(100.5, 1, 30) * rounds).round(4), 5),
    equivalence(random.normal(100, 1, 10).round(4), random.normal(101, 1, 10).round(4), 5),
    equivalence(random.normal(100, 4, 12).round(4), random.normal(101, 4, 12).round(4), 5),
    equivalence(random.normal(100, 1, 20).round(4), random.normal(108, 1, 20).round(4), 5),
    equivalence(random.normal(100, 0.3, 15).round(4), random.normal(100.5, 0.3, 15).round(4), 2),
]
for tail in (0.4, 0.1, 0.05, 0.01, 0.001, 0.0001, 1e-6):
    result.setdefault("quantiles", []).append({"tail": tail, "value": float(stats.norm.isf(tail))})

path = pathlib.Path(__file__).with_name("statistics.json")
path.write_text(json.dumps(result, indent=1) + "\n")

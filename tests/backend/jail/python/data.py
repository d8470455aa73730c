import json
import math
import pprint
import random
import statistics

print(
    json.dumps({"梯": [1.5, None, float("nan")]}), json.dumps([1, {"a": 2}], indent=1), json.loads('{"a": [1e5, true]}')
)
try:
    json.loads("{")
except json.JSONDecodeError as error:
    print(error)
values = [1, 2, 4, 8]
print(
    statistics.mean(values),
    statistics.fmean(values),
    statistics.geometric_mean(values),
    statistics.harmonic_mean(values),
)
print(
    statistics.median(values),
    statistics.median_grouped(values),
    statistics.quantiles(values),
    statistics.multimode("aab"),
)
print(statistics.stdev(values), statistics.pvariance(values), statistics.linear_regression(values, values))
try:
    statistics.mean([])
except statistics.StatisticsError as error:
    print(error)
random.seed(3)
print(random.random(), random.choice("abc"), random.sample(range(9), 3), random.gauss(0, 1), random.betavariate(1, 2))
random.seed("text")
print(random.randint(1, 6), random.getrandbits(70), random.choices("abc", k=4), random.triangular())
print(math.comb(40, 20), math.gamma(5.5), math.nextafter(1.0, 2.0), math.fsum([0.1] * 10))
pprint.pprint({"a": list(range(30)), "b": {1, 2}, "text": "the gradient of a sum " * 6})

import random, math, itertools
random.seed(0)
print(random.random(), random.randint(0, 10), random.choice([1,2,3]), random.sample(range(10), 3))
l=[1,2,3]; random.shuffle(l); print(l)
print(math.sqrt(2), math.pi, math.isclose(1, 1+1e-12), list(itertools.product([1,2],"ab")), list(itertools.accumulate([1,2,3])))

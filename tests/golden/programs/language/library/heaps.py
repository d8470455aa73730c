import heapq, bisect
h = []
heapq.heappush(h, 3); heapq.heappush(h, 1)
print(heapq.heappop(h), bisect.bisect([1,2,3], 2))

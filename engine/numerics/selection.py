"""Which of several equal elements PyTorch selects: its algorithms for a rank, step by step.

Values do not depend on it, but the index, and so the place that the gradient goes to, does. `topk` runs the selection
and the sort of the C++ standard library (introselect, introsort, heaps), `kthvalue` a quickselect (Numerical Recipes,
8.5). ``before(a, b)`` says whether one place comes before another; places are moved in a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Before = Callable[[int, int], bool]

SMALL: Final = 16
"""Stretches up to this length are sorted by insertion."""


class Line:
    """The places of the elements of one line, in the order in which an algorithm has put them."""

    def __init__(self, length: int, before: Before) -> None:
        self.places, self.before = list(range(length)), before

    def precedes(self, a: int, b: int) -> bool:
        """Whether what stands at ``a`` comes before what stands at ``b``."""
        return self.before(self.places[a], self.places[b])

    def swap(self, a: int, b: int) -> None:
        self.places[a], self.places[b] = self.places[b], self.places[a]

    # -- the standard library's -------------------------------------------------------------------------------------

    def top(self, k: int, in_order: bool) -> list[int]:
        """The first ``k`` places, as `topk` finds them."""
        length = len(self.places)
        if k * 64 <= length:
            self.heap_select(0, k, length)
            self.sort_heap(0, k)
            return self.places[:k]
        self.select(0, k - 1, length)
        if in_order:
            self.sort(0, k - 1)
        return self.places[:k]

    def in_order(self) -> list[int]:
        """All places, as `sort` finds them where it need not be stable."""
        self.sort(0, len(self.places))
        return self.places

    def select(self, first: int, nth: int, last: int) -> None:
        """Put at ``nth`` what would stand there in order, and what comes before it in front."""
        depth = 2 * ((last - first).bit_length() - 1)
        while last - first > 3:
            if depth == 0:
                self.heap_select(first, nth + 1, last)
                self.swap(first, nth)
                return
            depth -= 1
            cut = self.partition(first, last)
            first, last = (cut, last) if cut <= nth else (first, cut)
        self.insertion(first, last)

    def sort(self, first: int, last: int) -> None:
        """Sort a stretch: by halves down to `SMALL`, and those by insertion."""
        if last > first:
            self.halves(first, last, 2 * ((last - first).bit_length() - 1))
            self.insertion(first, last)

    def halves(self, first: int, last: int, depth: int) -> None:
        while last - first > SMALL:
            if depth == 0:
                self.heap_select(first, last, last)
                self.sort_heap(first, last)
                return
            depth -= 1
            cut = self.partition(first, last)
            self.halves(cut, last, depth)
            last = cut

    def partition(self, first: int, last: int) -> int:
        """Divide a stretch by the median of three of its elements. Returns where the second part begins."""
        self.median_to(first, first + 1, first + (last - first) // 2, last - 1)
        low, high = first + 1, last
        while True:
            while self.precedes(low, first):
                low += 1
            high -= 1
            while self.precedes(first, high):
                high -= 1
            if low >= high:
                return low
            self.swap(low, high)
            low += 1

    def median_to(self, target: int, a: int, b: int, c: int) -> None:
        middle = (
            (b if self.precedes(b, c) else c if self.precedes(a, c) else a)
            if self.precedes(a, b)
            else a
            if self.precedes(a, c)
            else c
            if self.precedes(b, c)
            else b
        )
        self.swap(target, middle)

    def insertion(self, first: int, last: int) -> None:
        for place in range(first + 1, last):
            value, hole = self.places[place], place
            while hole > first and self.before(value, self.places[hole - 1]):
                self.places[hole] = self.places[hole - 1]
                hole -= 1
            self.places[hole] = value

    def heap_select(self, first: int, middle: int, last: int) -> None:
        """Bring what comes first to the front, as a heap with the last of it on top."""
        length = middle - first
        for parent in range((length - 2) // 2, -1, -1):
            self.sift(first, parent, length, self.places[first + parent])
        for place in range(middle, last):
            if self.precedes(place, first):
                self.pop(first, middle, place)

    def sort_heap(self, first: int, last: int) -> None:
        while last - first > 1:
            last -= 1
            self.pop(first, last, last)

    def pop(self, first: int, last: int, target: int) -> None:
        value = self.places[target]
        self.places[target] = self.places[first]
        self.sift(first, 0, last - first, value)

    def sift(self, first: int, hole: int, length: int, value: int) -> None:
        """Let a hole sink to the bottom of the heap, and ``value`` rise from there."""
        heap, top, child = self.places, hole, hole
        while child < (length - 1) // 2:
            child = 2 * (child + 1)
            if self.precedes(first + child, first + child - 1):
                child -= 1
            heap[first + hole] = heap[first + child]
            hole = child
        if length % 2 == 0 and child == (length - 2) // 2:
            child = 2 * child + 1
            heap[first + hole] = heap[first + child]
            hole = child
        while hole > top and self.before(heap[first + (hole - 1) // 2], value):
            heap[first + hole] = heap[first + (hole - 1) // 2]
            hole = (hole - 1) // 2
        heap[first + hole] = value

    # -- quickselect --------------------------------------------------------------------------------------------------

    def ranked(self, k: int) -> int:
        """The place of the element of rank ``k``, counted from 0, as `kthvalue` finds it."""
        low, high = 0, len(self.places) - 1
        while high > low + 1:
            self.swap(low + (high - low) // 2, low + 1)
            for a, b in ((low + 1, high), (low, high), (low + 1, low)):
                if self.precedes(b, a):
                    self.swap(a, b)
            left, cut = self.divide(low, high)
            low, high = (left if cut <= k else low), (cut - 1 if cut >= k else high)
        if high == low + 1 and self.precedes(high, low):
            self.swap(low, high)
        return self.places[k]

    def divide(self, low: int, high: int) -> tuple[int, int]:
        """Divide a stretch by its first element. Returns where the upper part begins, and where that element is now."""
        left, right, pivot = low + 1, high, self.places[low]
        while True:
            left += 1
            while self.before(self.places[left], pivot):
                left += 1
            right -= 1
            while self.before(pivot, self.places[right]):
                right -= 1
            if right < left:
                self.swap(low, right)
                return left, right
            self.swap(left, right)

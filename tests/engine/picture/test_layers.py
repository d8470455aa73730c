"""Tests of the layered layout and of frames within frames."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from gradflow.engine.picture.layers import Box, Layers, Link
from gradflow.engine.picture.nested import Item, Placement, placed

Rectangle = tuple[float, float, float, float]


def apart(one: Rectangle, other: Rectangle) -> bool:
    (x, y, w, h), (x2, y2, w2, h2) = one, other
    return x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_links_lead_down_and_nothing_overlaps() -> None:
    boxes = [Box(f"{k}", 30 + 7 * k % 50, 20 + 11 * k % 70) for k in range(40)]
    links = [Link(boxes[k // 2], boxes[k]) for k in range(1, 40)] + [
        Link(boxes[k], boxes[k + 9]) for k in range(0, 30, 4)
    ]
    layout = Layers(boxes, links, 10, 20)
    assert all(link.source.y + link.source.height < link.target.y for link in links)
    places = [(box.x, box.y, box.width, box.height) for box in boxes]
    assert all(apart(one, other) for one, other in combinations(places, 2))
    assert max(x + w for x, _, w, _ in places) <= layout.width
    for link in links:
        way = layout.way(link)
        assert all(above[1] <= below[1] for above, below in pairwise(way))
        lanes = [(x, y, 0.0, 0.0) for x, y in way[2:-2]]
        assert all(apart(place, point) for point in lanes for place in places)


def test_a_circle_is_cut() -> None:
    boxes = [Box("a", 10, 10), Box("b", 10, 10), Box("c", 10, 10)]
    links = [Link(boxes[0], boxes[1]), Link(boxes[1], boxes[2]), Link(boxes[2], boxes[0])]
    layout = Layers(boxes, links, 10, 20)
    assert [link.is_back for link in links].count(True) == 1
    assert all(len(layout.way(link)) >= 2 for link in links)


def test_operands_stand_in_their_order() -> None:
    boxes = [Box(name, 10, 10) for name in "abcd"]
    Layers([boxes[3], *boxes[:3]], [Link(each, boxes[3]) for each in boxes[:3]], 10, 20)
    assert boxes[0].x < boxes[1].x < boxes[2].x
    assert boxes[3].x == pytest.approx(boxes[1].x)


NESTED = [
    Item("x", 60, 40, ()),
    Item("w", 80, 60, ("m", "m.0")),
    Item("f", 100, 30, ("m", "m.0")),
    Item("h", 60, 40, ("m", "m.0")),
    Item("g", 90, 30, ("m",)),
    Item("y", 60, 40, ("m",)),
    Item("s", 90, 30, ()),
]
WIRES = [("x", "f"), ("w", "f"), ("f", "h"), ("h", "g"), ("g", "y"), ("y", "s"), ("x", "s")]


def within(place: Rectangle, frame: Rectangle) -> bool:
    (x, y, w, h), (x2, y2, w2, h2) = place, frame
    return x2 < x and y2 < y and x + w < x2 + w2 and y + h < y2 + h2


def nested() -> tuple[Placement, dict[str, Rectangle]]:
    layout = placed(NESTED, WIRES, {"m": 300.0, "m.0": 20.0})
    return layout, {each.name: (*layout.places[each.name], each.width, each.height) for each in NESTED}


def test_frames_hold_their_own_and_nothing_else() -> None:
    layout, places = nested()
    assert within(layout.frames["m.0"], layout.frames["m"])
    assert layout.frames["m"][2] > 300
    for item in NESTED:
        for name, frame in layout.frames.items():
            inside = name in item.frames
            assert within(places[item.name], frame) if inside else apart(places[item.name], frame)


def test_links_go_from_end_to_end_through_frames() -> None:
    layout, places = nested()
    for (source, target), way in zip(WIRES, layout.ways, strict=True):
        (x, y, w, h), (x2, y2, w2, _) = places[source], places[target]
        assert way[0][1] == pytest.approx(y + h)
        assert x < way[0][0] < x + w
        assert way[-1][1] == pytest.approx(y2)
        assert x2 < way[-1][0] < x2 + w2
        assert all(above[1] <= below[1] + 1e-6 for above, below in pairwise(way))
    around = layout.ways[WIRES.index(("x", "s"))]
    frame = layout.frames["m"]
    assert all(apart(frame, (x, y, 0.0, 0.0)) for x, y in around)


def test_each_end_of_a_way_meets_the_next_piece() -> None:
    layout, _ = nested()
    for way in layout.ways:
        jumps = [abs(x2 - x) for (x, y), (x2, y2) in pairwise(way) if abs(y2 - y) < 1e-6]
        assert max(jumps, default=0.0) == pytest.approx(0.0, abs=1e-6)

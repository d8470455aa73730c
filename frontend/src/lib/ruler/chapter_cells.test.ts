import { describe, expect, it } from 'vitest';
import { cutLoop, trainingLoop } from '../../test/loops';
import type { Trace } from '../../api/types';
import { barsOf, pathsOf } from './chapter_bars';
import { cellTime, cellX, layCells, SMALL, WIDE, type Cell, type CellSizes } from './chapter_cells';
import { buildChapters } from '../chapters/chapters';
import { buildTimeline } from '../animation/timeline';

const range = (n: number, step: number) => Array.from({ length: Math.ceil(n / step) }, (_, k) => k * step);

function laid(trace: Trace, open: number, width: number, sizes: CellSizes = WIDE) {
  const timeline = buildTimeline(trace);
  const { list } = buildChapters(trace, timeline);
  return { timeline, list, cells: layCells(list, open, width, sizes) };
}

const endOf = (cells: Cell[]) => cells.at(-1)!.left + cells.at(-1)!.width;

describe('the cells of the chapters', () => {
  it('fill the width: one is open, the others are closed to one width', () => {
    const { cells } = laid(trainingLoop(5), 3, 968);
    expect(cells.map(({ width }) => Math.round(width))).toEqual([38, 104, 104, 454, 104, 104]);
    expect(cells.map(({ open }) => open)).toEqual([false, false, false, true, false, false]);
    expect(endOf(cells)).toBeCloseTo(968, 6);
  });

  it('are narrower where there are many, and shared where there are very many', () => {
    const hundred = laid(trainingLoop(100), 50, 968).cells;
    expect(hundred).toHaveLength(101);
    const long = laid(trainingLoop(400), 200, 968).cells;
    expect(long.length).toBeLessThan(200);
    expect(long.flatMap(({ chapters }) => chapters)).toHaveLength(401);
    for (const cells of [hundred, long]) {
      const own = cells.find(({ open }) => open)!;
      expect(own.chapters).toHaveLength(1);
      expect(own.width).toBeGreaterThan(0.45 * 968);
      expect(endOf(cells)).toBeCloseTo(968, 6);
    }
  });

  it.each([
    [5, 3, 358, SMALL],
    [5, 0, 968, WIDE],
    [100, 100, 968, WIDE],
    [200, 100, 358, SMALL],
  ])('find the same time again: %i turns', (turns, open, width, sizes) => {
    const { cells, timeline } = laid(trainingLoop(turns), open, width, sizes);
    expect(endOf(cells)).toBeCloseTo(width, 4);
    for (const { start, end } of timeline.segments) {
      const middle = (start + end) / 2;
      expect(cellTime(cells, cellX(cells, middle))).toBeCloseTo(middle, 3);
    }
  });

  it('keep to their ends', () => {
    const { cells, timeline } = laid(trainingLoop(3), 1, 600);
    expect(cellTime(cells, -20)).toBe(0);
    expect(cellTime(cells, 900)).toBeCloseTo(timeline.duration - 0.5, 6);
    expect(cellX(cells, timeline.duration)).toBeCloseTo(600, 6);
    expect(cellX([], 3)).toBe(0);
    expect(cellTime([], 3)).toBe(0);
  });

  it('hold turns that left nothing', () => {
    const { cells, list } = laid(cutLoop(300, range(300, 20)), 1, 968);
    expect(cells.flatMap(({ chapters }) => chapters)).toEqual(list);
    expect(list.some(({ kind }) => kind === 'gap')).toBe(true);
  });
});

describe('the bars of a chapter', () => {
  const { cells, timeline, list } = laid(trainingLoop(4), 2, 968);
  const bars = (cell: Cell, stop: number | null = null) => barsOf(cell, timeline.segments, stop);

  it('are true to the durations in the open chapter', () => {
    const open = cells[2]!;
    const zero = bars(open).find(({ kind }) => kind === 'zero')!;
    const step = bars(open).find(({ kind }) => kind === 'step')!;
    const act = (kind: string) => open.chapters[0]!.acts.find((each) => each.kind === kind)!;
    const scale = open.width / (open.end - open.start);
    for (const [bar, own] of [
      [zero, act('zero')],
      [step, act('step')],
    ] as const)
      expect(bar.width).toBeCloseTo((own.end - own.start) * scale - 3.5, 6);
  });

  it('show functions, and of the one at hand its beats', () => {
    const own = timeline.segments.slice(list[2]!.first, list[2]!.until).filter(({ pass }) => pass !== null);
    const stops = new Set(own.map(({ stop }) => stop));
    const backward = (stop: number | null) => bars(cells[2]!, stop).filter(({ kind }) => kind === 'backward');
    expect(backward(null)).toHaveLength(stops.size);
    const at = own[0]!.stop;
    const beats = own.filter(({ stop }) => stop === at).length;
    expect(backward(at)).toHaveLength(stops.size - 1 + beats);
  });

  it('are one for each act in a closed chapter, with a tick for zero', () => {
    expect(bars(cells[3]!).map(({ kind }) => kind)).toEqual(['tick', 'forward', 'backward', 'step']);
  });

  it('are dots for turns that were left out', () => {
    const cut = laid(cutLoop(50, [0, 25, 49]), 1, 968);
    const kinds = cut.cells.map((cell) => barsOf(cell, cut.timeline.segments, null)[0]!.kind);
    expect(kinds.filter((kind) => kind === 'gap')).toHaveLength(2);
  });

  it('are drawn as one path for each kind', () => {
    const paths = pathsOf(cells.flatMap((cell) => bars(cell)));
    expect(new Set(paths.map(({ kind }) => kind)).size).toBe(paths.length);
    expect(paths.length).toBeLessThanOrEqual(5);
    for (const { d } of paths) expect(d).not.toContain('NaN');
  });
});

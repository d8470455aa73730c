import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { cutLoop, inTurns, loop, lossOf, trainingLoop } from '../../test/loops';
import { Sketch } from '../../test/sketch';
import { Lookup } from '../trace/lookup';
import { cellX, layCells } from './chapter_cells';
import { buildChapters } from '../chapters/chapters';
import { lossAt, lossCurve } from '../chapters/loss_curve';
import {
  apart,
  BUTTON,
  clearOfName,
  dotsPath,
  formatLoss,
  isPassed,
  linePath,
  nameLine,
  reachable,
  sparkLabels,
  sparkPoints,
  type SparkLabel,
  type SparkPoint,
} from './sparkline';
import { buildTimeline } from '../animation/timeline';

/** The losses of the turns, in their order. */
function withLosses(trace: Trace, losses: readonly (number | string)[]): Trace {
  const own = [...losses];
  const roots = new Set(trace.passes.map(({ root }) => root));
  const tensors = trace.tensors.map((tensor) =>
    roots.has(tensor.id) ? { ...tensor, value: { ...tensor.value, data: [own.shift()!] } } : tensor,
  );
  return { ...trace, tensors };
}

function drawn(trace: Trace, open = 1, width = 968) {
  const timeline = buildTimeline(trace);
  const chapters = buildChapters(trace, timeline);
  const curve = lossCurve(new Lookup(trace), timeline, chapters);
  const cells = layCells(chapters.list, open, width);
  const box = { width, digits: 4, top: 15, bottom: 36 };
  return { timeline, chapters, curve, cells, box, points: sparkPoints(curve, cells, box) };
}

describe('the loss of each turn', () => {
  it('is the number that its backward pass starts from, known where the forward act ends', () => {
    const { curve, chapters } = drawn(withLosses(trainingLoop(3), [4, 2, 1]));
    expect(curve.name).toBe('loss');
    expect(curve.points.map(({ turn, value }) => [turn, value])).toEqual([
      [1, 4],
      [2, 2],
      [3, 1],
    ]);
    const [zero, forward] = chapters.list[2]!.acts;
    expect([zero!.kind, curve.points[1]!.time]).toEqual(['zero', forward!.end]);
  });

  it('is each of those that a loop within the turn brings to one line, the one at hand among them', () => {
    const sketch = new Sketch({ told: true });
    const [x, w] = [sketch.constant({ name: 'x' }), sketch.leaf('w')];
    inTurns(sketch, loop(sketch), [0, 1], () => {
      const before = sketch.line;
      inTurns(sketch, loop(sketch), [0, 1, 2], () => {
        sketch.line = before;
        lossOf(sketch, w, x);
        sketch.step();
      });
    });
    const { curve, points, timeline } = drawn(withLosses(sketch.trace(), [6, 5, 4, 3, 2, 1]));
    expect(curve.points.map(({ turn, value }) => [turn, value])).toEqual([
      ...[6, 5, 4].map((value) => [1, value]),
      ...[3, 2, 1].map((value) => [2, value]),
    ]);
    expect(points.map(({ x: left }) => left)).toEqual(
      points.map(({ x: left }) => left).toSorted((a, b) => a - b),
    );
    const turn = { number: 1, loop: points[0]!.loop };
    const at = (time: number) => lossAt(points, turn, time)?.value;
    const starts = timeline.segments.filter(({ kind, pass }) => kind === 'arrive' && (pass ?? 9) < 3);
    expect([...new Set(starts.map(({ start }) => at(start)))]).toEqual([6, 5, 4]);
    expect(lossAt(points, null, 0)).toBeNull();
  });

  it('is told of turns that were left out, too', () => {
    const { curve } = drawn(cutLoop(60, [0, 30, 59]));
    expect(curve.points.map(({ turn }) => turn)).toEqual(Array.from({ length: 60 }, (_, k) => k + 1));
    const left = curve.points.filter(({ time }) => time === null);
    expect(left).toHaveLength(57);
    for (const { turn, value } of left) expect(value).toBeCloseTo(1 / turn, 9);
  });

  it('is what a turn prints, where no pass starts from one number', () => {
    const trace = trainingLoop(3);
    const passes = trace.passes.map((pass) => ({ ...pass, gradient: { ...pass.gradient, shape: [2] } }));
    const { curve } = drawn({ ...trace, passes });
    expect(curve.name).toBeNull();
    expect(curve.points.map(({ value }) => value)).toEqual([0, 1, 2]);
  });
});

describe('the sparkline', () => {
  const { points, cells, box, curve, timeline } = drawn(withLosses(trainingLoop(5), [5, 4, 'NaN', 3, 1]), 2);

  it('goes from the largest value to the smallest, without those that are no numbers', () => {
    expect(points.map(({ turn }) => turn)).toEqual([1, 2, 4, 5]);
    expect(points.map(({ y }) => y)).toEqual([15, 20.25, 25.5, 36]);
    for (const { x, time } of points) expect(x).toBeCloseTo(cellX(cells, time!), 6);
  });

  it('lies in the middle where all values are the same', () => {
    const flat = drawn(withLosses(trainingLoop(3), [2, 2, 2])).points;
    expect(flat.map(({ y }) => y)).toEqual([25.5, 25.5, 25.5]);
  });

  it('tells what the cursor has passed', () => {
    const second = curve.points[1]!;
    expect(isPassed(second, second.time!)).toBe(true);
    expect(isPassed(second, second.time! - 1)).toBe(false);
    expect(points.every((point) => isPassed(point, timeline.duration))).toBe(true);
  });

  it('is one path for the line and one for the points', () => {
    expect(linePath(points).match(/[ML]/g)!.join('')).toBe('MLLL');
    expect(dotsPath(points, 3.5).match(/z/g)).toHaveLength(4);
    expect(linePath([])).toBe('');
  });

  it('writes values that leave room for each other', () => {
    const labels = sparkLabels(points, points[1]!, box);
    expect(labels.map(({ text }) => text)).toEqual(['4.000', '5.000', '1.000', '3.000']);
    const sorted = labels.toSorted((one, other) => one.left - other.left);
    sorted
      .slice(1)
      .forEach((each, k) => expect(each.left).toBeGreaterThan(sorted[k]!.left + sorted[k]!.width));
    for (const { left, width } of labels) expect(left + width).toBeLessThanOrEqual(box.width);
  });

  it('has its name where no point and no value stands', () => {
    const at = (x: number, y: number) => ({ x, y }) as SparkPoint;
    const label = (left: number, y: number) => ({ left, y }) as SparkLabel;
    expect(nameLine(40, [at(120, 36)], [label(128, 28)])).toBe(24);
    expect(nameLine(40, [at(76, 36)], [label(22, 28)])).toBe(12);
    expect(nameLine(40, [at(20, 15)], [label(28, 7)])).toBe(38);
  });

  it('gives way to the name where no line is free for it, but for the value at hand', () => {
    const [one, other] = [
      { x: 20, y: 24 },
      { x: 80, y: 24 },
    ].map((each) => each as SparkPoint);
    const labels = [one, other].map((point) => ({ point, left: point!.x + 8, y: 24 }) as SparkLabel);
    expect(clearOfName(labels, 40, 24, null)).toEqual([labels[1]]);
    expect(clearOfName(labels, 40, 24, one!)).toEqual(labels);
  });

  it('keeps its buttons apart and few, however many turns there are', () => {
    const long = drawn(trainingLoop(300), 150);
    const current = long.points[149]!;
    const buttons = reachable(long.points, current);
    expect(buttons).toContain(current);
    expect(buttons.length).toBeLessThanOrEqual(968 / BUTTON.width + 1);
    buttons.slice(1).forEach(({ x }, k) => expect(x - buttons[k]!.x).toBeGreaterThanOrEqual(BUTTON.width));
    expect(sparkLabels(long.points, current, long.box).length).toBeLessThanOrEqual(3);
    expect(apart(long.points).length).toBeLessThan(20);
  });

  it('has no button for a turn that was left out', () => {
    const cut = drawn(cutLoop(60, [0, 30, 59]));
    expect(reachable(cut.points, null).map(({ turn }) => turn)).toEqual([1, 31, 60]);
  });
});

describe('a loss in words', () => {
  it.each([
    [0.76164681, '0.7616'],
    [12.345678, '12.35'],
    [0, '0'],
    [0.000012, '1.2e-5'],
    [1234567, '1.2e6'],
    [NaN, 'nan'],
    [Infinity, 'inf'],
  ])('%f is %s', (value, text) => expect(formatLoss(value)).toBe(text));
});

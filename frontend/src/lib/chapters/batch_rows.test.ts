import { expect, it } from 'vitest';
import { Sketch } from '../../test/sketch';
import { buildTimeline } from '../animation/timeline';
import { hasBatches, rowAt } from './batch_rows';

function batched(count: number) {
  const sketch = new Sketch({ told: true });
  const y = sketch.apply('tanh', [sketch.leaf('x')], { name: 'y' });
  for (let index = 0; index < count; index += 1)
    sketch.backward(y, { kind: 'grad', rows: [{ batch: 0, index, count }] });
  sketch.backward(y);
  return sketch.trace();
}

it('tells which row of the batch a pass is, and where the others are at the same beat', () => {
  const trace = batched(3);
  const timeline = buildTimeline(trace);
  const rule = timeline.segments.filter(({ kind }) => kind === 'rule');
  expect(rowAt(trace, timeline, rule[1]!)).toEqual({
    number: 2,
    of: 3,
    outer: [],
    previous: rule[0]!.index,
    next: rule[2]!.index,
  });
  expect(rowAt(trace, timeline, rule[0]!)?.previous).toBeNull();
  expect(rowAt(trace, timeline, rule[2]!)?.next).toBeNull();
});

it('a pass of its own is no row', () => {
  const trace = batched(0);
  const timeline = buildTimeline(trace);
  expect(hasBatches(trace)).toBe(false);
  expect(timeline.segments.map((segment) => rowAt(trace, timeline, segment))).toEqual(
    timeline.segments.map(() => null),
  );
  expect(hasBatches(batched(1))).toBe(true);
});

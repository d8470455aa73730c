import { expect, it } from 'vitest';
import { Sketch } from '../../../test/sketch';
import { arrivalAt, opening, timeAt } from './opening';
import { buildTimeline } from '../timeline';

it('finds the moment at which the gradient of a tensor has arrived', () => {
  const sketch = new Sketch({ told: true });
  const c = sketch.apply('mul', [sketch.leaf('a'), sketch.leaf('b')], { name: 'c' });
  sketch.backward(sketch.apply('sum', [c], { name: 'loss', shape: [] }));
  const trace = sketch.trace();
  const timeline = buildTimeline(trace);
  const made = trace.tensors.find(({ names }) => names[0] === 'c')!.node;
  const arrival = timeline.segments.find(({ kind, node }) => kind === 'arrive' && node === made)!;
  const time = timeAt(timeline, arrivalAt('c'), trace);
  expect(time).toBeGreaterThan(arrival.start);
  expect(time).toBeLessThan(arrival.end);
  expect(timeAt(timeline, arrivalAt('nobody'), trace)).toBeLessThan(arrival.start);
  expect(timeAt(timeline, 0, trace)).toBe(0);
  expect(opening(timeline, trace)).toBeGreaterThan(0);
});

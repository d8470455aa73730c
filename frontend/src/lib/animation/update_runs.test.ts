import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { training } from '../../test/samples';
import { Sketch, type Sketched } from '../../test/sketch';
import { Lookup } from '../trace/lookup';
import { toNumber } from '../trace/values';
import type { Timeline } from './segments';
import { buildTimeline } from './timeline';
import { motionOf, updateAt, UpdateRuns } from './update_runs';

function runsOf(trace: Trace): { runs: UpdateRuns; timeline: Timeline } {
  const timeline = buildTimeline(trace);
  return { timeline, runs: new UpdateRuns(new Lookup(trace), timeline) };
}

/** Two leaves with gradients, then what `update` does. */
function withGrads(update: (sketch: Sketch, w: Sketched, b: Sketched) => void): Trace {
  const sketch = new Sketch({ told: true });
  const [w, b] = [sketch.leaf('w'), sketch.leaf('b')];
  sketch.backward(sketch.apply('mul', [w, b]));
  update(sketch, w, b);
  return sketch.trace();
}

const kinds = ({ segments }: Timeline, first: number, until: number) =>
  segments.slice(first, until).map(({ kind, beat }) => beat ?? kind);

describe('an update of leaves', () => {
  it('is one step of an optimizer, with what is printed after it', () => {
    const { runs, timeline } = runsOf(training(2));
    const read = timeline.segments.find(({ beat }) => beat === 'read')!.index;
    const run = runs.at(read)!;
    expect(kinds(timeline, run.first, run.until)).toEqual(['read', 'flow', 'write', 'print']);
    expect(run.leaves.map(({ tensor }) => tensor.names[0])).toEqual(['w', 'b']);
    for (let index = run.first; index < run.until; index += 1) expect(runs.at(index)).toBe(run);
    expect(runs.at(run.first - 1)).toBeNull();
    expect(runs.at(run.until)).toBeNull();
    expect(runs.at(-1)).toBeNull();
  });

  it('carries what is added to the value', () => {
    const { runs, timeline } = runsOf(training(1));
    const { leaves } = runs.at(timeline.segments.findIndex(({ beat }) => beat === 'flow'))!;
    for (const { updates } of leaves) {
      const [{ before, after, flow }] = updates as [(typeof updates)[number]];
      after.data!.forEach((x, k) =>
        expect(toNumber(flow!.data![k]!)).toBeCloseTo(toNumber(x) - toNumber(before.data![k]!)),
      );
    }
  });

  it('is all lines of an update by hand, with zeroing between them', () => {
    const trace = withGrads((sketch, w, b) => {
      sketch.write(w, 'no_grad', 'w -= 0.1 * w.grad', 5);
      sketch.write(b, 'no_grad', 'b -= 0.1 * b.grad', 6);
      sketch.zeroGrad();
    });
    const { runs, timeline } = runsOf(trace);
    const run = runs.at(timeline.segments.findIndex(({ beat }) => beat === 'flow'))!;
    expect(kinds(timeline, run.first, run.until)).toEqual(['flow', 'write', 'flow', 'write']);
    expect(run.leaves.map(({ updates }) => updates.length)).toEqual([1, 1]);
    const [w, b] = run.leaves.map((leaf) => updateAt(leaf, run.first + 2));
    expect(motionOf(w!, run.first + 2, 0).isActive).toBe(false);
    expect(motionOf(b!, run.first + 2, 0).isActive).toBe(true);
  });

  it('is one for all leaves that one line updates', () => {
    const trace = withGrads((sketch, w, b) => {
      sketch.write(w, 'data', 'p.data -= 0.1 * p.grad', 5);
      sketch.write(b, 'data', 'p.data -= 0.1 * p.grad', 5);
    });
    const { runs, timeline } = runsOf(trace);
    const flow = timeline.segments.findIndex(({ beat }) => beat === 'flow');
    expect(kinds(timeline, flow, Infinity)).toEqual(['flow', 'write']);
    expect(runs.at(flow)!.leaves).toHaveLength(2);
  });

  it.each([
    ['no gradient goes into it', (sketch: Sketch, w: Sketched) => sketch.write(w, 'data', 'w.data.zero_()')],
    ['autograd sees it', (sketch: Sketch, w: Sketched) => sketch.write(w, 'in_place', 'w.mul_(w.grad)')],
    [
      'the bucket is empty',
      (sketch: Sketch, w: Sketched) => {
        sketch.zeroGrad();
        sketch.write(w, 'data', 'w.data -= w.grad');
      },
    ],
  ])('is none where %s', (_, update) => {
    const { runs, timeline } = runsOf(withGrads(update));
    expect(timeline.segments.map(({ beat }) => beat)).toEqual(timeline.segments.map(() => null));
    expect(timeline.segments.map(({ index }) => runs.at(index))).toEqual(timeline.segments.map(() => null));
  });

  it('moves a chip from the bucket to the value in the flow, and lets it sink in the write', () => {
    const { runs, timeline } = runsOf(training(1));
    const flow = timeline.segments.findIndex(({ beat }) => beat === 'flow');
    const update = updateAt(runs.at(flow)!.leaves[0]!, flow);
    const flightAt = (index: number, t: number) => motionOf(update, index, t).flight;
    expect(flightAt(flow - 1, 1)).toBeNull();
    expect([0, 1].map((t) => flightAt(flow, t))).toEqual([0, 1]);
    expect(flightAt(flow + 1, 0)).toBe(1);
    expect(motionOf(update, flow + 1, 1).opacity).toBe(0);
    expect(flightAt(flow + 2, 0)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { inTurns, loop, trainingLoop } from '../../test/loops';
import { Sketch } from '../../test/sketch';
import { courseOf } from '../animation/course';
import type { Timeline } from '../animation/segments';
import { buildTimeline } from '../animation/timeline';
import { GraphSource } from '../graph/source';
import { norm } from '../trace/values';
import { chainNorms, passOf, shrinkage } from './chain_norms';

/** `h = tanh(h * w)` so many times, then `y = h.sum()`, so many passes back from there. */
function recurrent(turns: number, passes = 1, own = false): Trace {
  const sketch = new Sketch({ told: true });
  const weights = Array.from({ length: own ? turns : 1 }, (_, k) => sketch.leaf(`w${k}`));
  let h = sketch.constant({ name: 'h' });
  inTurns(sketch, loop(sketch), [...Array(turns).keys()], (turn) => {
    h = sketch.apply('tanh', [sketch.apply('mul', [h, weights[own ? turn : 0]!])], { name: 'h' });
  });
  const y = sketch.apply('sum', [h], { name: 'y', shape: [] });
  for (let pass = 0; pass < passes; pass += 1) sketch.backward(y);
  return sketch.trace();
}

function sourceOf(trace: Trace): { source: GraphSource; timeline: Timeline } {
  const timeline = buildTimeline(trace);
  return { timeline, source: new GraphSource(trace, courseOf(trace, timeline)) };
}

describe('turns that chain', () => {
  it('are those that read what the turn before has made; what is handed on has a name', () => {
    const trace = recurrent(8);
    const { chain, turn } = sourceOf(trace).source.turns.chainAt(3)!;
    expect(chain.name).toBe('h');
    expect(chain.turns.map((each) => each.turn.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const made = trace.tensors.filter(({ names, node }) => names[0] === 'h' && node !== null);
    expect(chain.turns.map(({ state }) => state)).toEqual(made.map(({ id }) => id));
    expect(turn.number).toBe(1);
  });

  it.each([
    ['that are few', recurrent(3)],
    ['each with a leaf of its own', recurrent(8, 1, true)],
    ['that train', trainingLoop(8)],
  ])('are not those %s', (_, trace) => {
    const { source, timeline } = sourceOf(trace);
    expect(timeline.segments.map(({ index }) => source.turns.chainAt(index))).toEqual(
      timeline.segments.map(() => null),
    );
  });

  it('follow the gradient back, and what comes after them is out of sight meanwhile', () => {
    const { source, timeline } = sourceOf(recurrent(8));
    const numbers = timeline.segments.map(({ index }) => source.turns.chainAt(index)!.turn.number);
    expect(numbers.at(-1)).toBe(1);
    expect(numbers.indexOf(8)).toBeLessThan(numbers.length / 2 + 4);
    const names = (index: number) =>
      source.slices.at(source.turns.at(index)).tensors.map((tensor) => tensor.names[0]);
    expect(names(timeline.segments.length - 1)).not.toContain('y');
    const after = timeline.segments.find(({ kind }) => kind === 'arrive')!.index;
    expect(names(after)).toContain('y');
  });
});

describe('the norms of a chain', () => {
  it('are those of the pass, known from the moment that the gradient has arrived', () => {
    const trace = recurrent(8);
    const { source, timeline } = sourceOf(trace);
    const { chain } = source.turns.chainAt(0)!;
    const norms = chainNorms(trace, timeline, chain, 0);
    norms.forEach((each, k) =>
      expect(each.norm).toBeCloseTo(norm(trace.passes[0]!.gradients[chain.turns[k]!.state!]!)),
    );
    const times = norms.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((x, y) => y - x));
    expect(times.at(-1)).toBeGreaterThan(timeline.passes[0]!.start);
    expect(times[0]).toBeLessThan(timeline.duration);
  });

  it('are of the pass at hand, before all of them of the first', () => {
    const trace = recurrent(8, 2);
    const { source, timeline } = sourceOf(trace);
    const { chain } = source.turns.chainAt(0)!;
    const at = (time: number) => passOf(trace, timeline, chain, time);
    expect([at(0), at(timeline.passes[1]!.start - 1), at(timeline.duration)]).toEqual([0, 0, 1]);
    const without = recurrent(8, 0);
    const other = sourceOf(without);
    expect(passOf(without, other.timeline, other.source.turns.chainAt(0)!.chain, 0)).toBeNull();
  });

  it('tell how much the gradient shrinks on its way, where that can be said', () => {
    const turn = { place: '', loop: '', of: 3, variable: null, line: 1 };
    const norms = (...list: (number | null)[]) =>
      list.map((each, k) => ({ turn: { ...turn, number: k + 1 }, norm: each, time: 0 }));
    expect(shrinkage(norms(0.5, 1, 2))).toEqual({ from: 3, to: 1, times: 4 });
    expect(shrinkage(norms(null, 1, 2))).toEqual({ from: 3, to: 2, times: 2 });
    expect([norms(0, 1), norms(NaN, 1), norms(1), norms(null, null)].map(shrinkage)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

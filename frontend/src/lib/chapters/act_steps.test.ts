import { describe, expect, it } from 'vitest';
import { inTurns, loop, lossOf } from '../../test/loops';
import { Sketch } from '../../test/sketch';
import { buildTimeline } from '../animation/timeline';
import { Lookup } from '../trace/lookup';
import { actDetail, optimizerOf } from './act_steps';
import { buildChapters } from './chapters';

/** A loop with two optimizers in a row. */
function twoOptimizers() {
  const sketch = new Sketch({ told: true });
  const [x, w] = [sketch.constant({ name: 'x' }), sketch.leaf('w')];
  const lines: string[] = [];
  inTurns(sketch, loop(sketch), [0, 1], () => {
    lossOf(sketch, w, x);
    sketch.step('SGD');
    lines[sketch.line] = 'opt_e.step()';
    sketch.step('Adam');
    lines[sketch.line] = 'opt_d.step()';
  });
  const source = Array.from(lines, (line: string | undefined) => line ?? '')
    .slice(1)
    .join('\n');
  const trace = sketch.trace({ source });
  const { segments } = buildTimeline(trace);
  const { acts } = buildChapters(trace, buildTimeline(trace)).list[1]!;
  return { lookup: new Lookup(trace), segments, acts, act: acts.find(({ kind }) => kind === 'step')! };
}

describe('an act of several optimizers', () => {
  const { lookup, segments, acts, act } = twoOptimizers();
  const steps = segments.slice(act.first, act.until).filter(({ kind }) => kind === 'step');

  it('names all of them, at a segment the one at hand', () => {
    expect(actDetail(lookup, segments, acts, act)).toBe('opt_e, opt_d');
    const told = steps.map(({ index }) => actDetail(lookup, segments, acts, act, index));
    expect([told.at(0), told.at(-1)]).toEqual(['opt_e', 'opt_d']);
  });

  it('says which kind is at hand', () => {
    const told = steps.map(({ index }) => optimizerOf(lookup, segments, act, index));
    expect([told.at(0), told.at(-1)]).toEqual(['SGD', 'Adam']);
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { inTurns, loop } from '../../test/loops';
import { Sketch, type Sketched } from '../../test/sketch';
import { courseOf } from '../animation/course';
import { buildTimeline } from '../animation/timeline';
import { GraphSource } from '../graph/source';

/** The names on screen at each segment, one after another, without repetitions. */
function scenes(trace: Trace): string[] {
  const timeline = buildTimeline(trace);
  const source = new GraphSource(trace, courseOf(trace, timeline), timeline.segments);
  const names = timeline.segments.map(({ index }) =>
    source
      .sliceAt(source.at(index))
      .tensors.flatMap(({ names: own }) => own)
      .join(' '),
  );
  return names.filter((each, k) => each !== names[k - 1]);
}

/** A leaf, some functions of it and a pass. `data`: what every one of these graphs multiplies with. */
function chapter(sketch: Sketch, name: string, length: number, data: Sketched[] = []): void {
  const leaf = sketch.leaf(name);
  let made = leaf;
  for (let k = 0; k < length; k += 1) made = sketch.apply('mul', [made, ...data], { name: `${name}${k}` });
  sketch.backward(made);
}

describe('episodes', () => {
  it('show graphs that have nothing in common one after the other, each with its leaf', () => {
    const sketch = new Sketch({ told: true });
    chapter(sketch, 'a', 10);
    chapter(sketch, 'b', 10);
    const [first, second, ...rest] = scenes(sketch.trace());
    expect(first).toMatch(/^a a0 .* a9$/);
    expect(second).toMatch(/^b b0 .* b9$/);
    expect(rest).toEqual([]);
  });

  it('show a small run as a whole', () => {
    const sketch = new Sketch({ told: true });
    chapter(sketch, 'a', 2);
    chapter(sketch, 'b', 2);
    expect(scenes(sketch.trace())).toEqual(['a a0 a1 b b0 b1']);
  });

  it('keep together what one pass begins at', () => {
    const sketch = new Sketch({ told: true });
    const [a, b] = [sketch.leaf('a'), sketch.leaf('b')];
    const ends = [a, b].map((leaf, n) => {
      let made = leaf;
      for (let k = 0; k < 10; k += 1) made = sketch.apply('exp', [made], { name: `${'uv'[n]}${k}` });
      return made;
    });
    sketch.backward(sketch.apply('add', ends, { name: 'loss' }));
    expect(scenes(sketch.trace())).toHaveLength(1);
  });

  it('keep a leaf that several use in each of them', () => {
    const sketch = new Sketch({ told: true });
    const shared = sketch.leaf('w');
    chapter(sketch, 'a', 10, [shared]);
    chapter(sketch, 'b', 10, [shared]);
    const shown = scenes(sketch.trace());
    expect(shown).toHaveLength(2);
    for (const each of shown) expect(each.split(' ')).toContain('w');
  });

  it('leave the turns of a loop that trains on one picture', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('w');
    inTurns(sketch, loop(sketch), [0, 1, 2], () => {
      let made = w;
      for (let k = 0; k < 12; k += 1) made = sketch.apply('exp', [made], { name: `h${k}`, line: 4 + k });
      sketch.backward(made);
    });
    chapter(sketch, 'b', 10);
    const shown = scenes(sketch.trace());
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatch(/^w h0 .* h11$/);
    expect(shown[1]).toMatch(/^b b0 .* b9$/);
  });

  it('tell the loops within a turn from what the turn does beside them', () => {
    const sketch = new Sketch({ told: true });
    const [critic, generator] = [sketch.leaf('critic'), sketch.leaf('generator')];
    const chain = (leaf: Sketched, name: string, line: number) => {
      let made = leaf;
      for (let k = 0; k < 12; k += 1)
        made = sketch.apply('exp', [made], { name: `${name}${k}`, line: line + k });
      sketch.backward(made);
    };
    inTurns(sketch, loop(sketch), [0, 1], () => {
      inTurns(sketch, loop(sketch), [0, 1], () => chain(critic, 'd', 4));
      chain(generator, 'g', 30);
    });
    const shown = scenes(sketch.trace());
    expect(shown.map((each) => each.split(' ')[0])).toEqual(['critic', 'generator', 'critic', 'generator']);
  });

  it('show what a reader looks at, wherever it is', () => {
    const sketch = new Sketch({ told: true });
    chapter(sketch, 'a', 10);
    chapter(sketch, 'b', 10);
    const trace = sketch.trace();
    const timeline = buildTimeline(trace);
    const source = new GraphSource(trace, courseOf(trace, timeline), timeline.segments);
    const named = (name: string) => trace.tensors.find(({ names }) => names[0] === name)!.id;
    const shown = (looked: string | null) =>
      source.sliceAt(source.at(0, looked)).tensors.map(({ names }) => names[0]);
    expect(shown(null)).toContain('a');
    expect(shown(named('a3'))).toContain('a');
    expect(shown(named('b3'))).not.toContain('a');
    expect(shown(named('b3'))).toContain('b9');
    expect(shown('t999')).toContain('a');
  });
});

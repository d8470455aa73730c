import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { Sketch } from '../../test/sketch';
import { placesOf } from './places';

/** Two turns of a loop; in the second a module calls a loop of three turns, of which the last one was kept. */
function nested() {
  const sketch = new Sketch();
  const outer = sketch.place('loop', 'for a in b');
  const turn = (loop: string, number: number) =>
    sketch.place('turn', '', loop, { turn: number, variable: `k = ${number}` });
  const first = turn(outer, 0);
  const second = turn(outer, 1);
  const module = sketch.place('module', 'net · Net', second);
  const inner = sketch.place('loop', 'for c in d', module);
  const last = turn(inner, 2);
  return { tree: placesOf(sketch.trace()), outer, first, second, module, inner, last };
}

describe('places', () => {
  it('are in one another', () => {
    const { tree, outer, second, module, inner, last } = nested();
    expect(tree.around(last).map(({ id }) => id)).toEqual([outer, second, module, inner, last]);
    expect(tree.moduleAround(last)?.title).toBe('net · Net');
    expect(tree.moduleAround(second)).toBeNull();
  });

  it('tell turns by number, and how many the loop had', () => {
    const { tree, inner, first, last } = nested();
    expect(tree.turnsAround(last).map(({ number, of }) => [number, of])).toEqual([
      [2, 2],
      [3, 3],
    ]);
    expect(tree.turnsAround(first)).toMatchObject([{ number: 1, variable: 'k = 0' }]);
    expect(tree.turnsAround(inner)).toHaveLength(1);
  });

  it('count the turns of a loop that were left out', () => {
    const sketch = new Sketch();
    const loop = sketch.place('loop', 'for a in b', null, { turns: 100 });
    const turn = sketch.place('turn', '', loop, { turn: 97 });
    expect(placesOf(sketch.trace()).turnsAround(turn)).toMatchObject([{ number: 98, of: 100 }]);
  });

  it('are none of nothing, and of a trace without any', () => {
    const { tree } = nested();
    for (const id of [null, undefined, 'elsewhere']) expect(tree.around(id)).toEqual([]);
    const old = { ...new Sketch().trace(), places: undefined } as unknown as Trace;
    expect(placesOf(old).turns.size).toBe(0);
  });

  it('are worked out once', () => {
    const trace = new Sketch().trace();
    expect(placesOf(trace)).toBe(placesOf(trace));
  });
});

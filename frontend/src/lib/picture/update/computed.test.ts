import { describe, expect, it } from 'vitest';
import { inTurns, loop, trainingLoop } from '../../../test/loops';
import { Sketch } from '../../../test/sketch';
import { GraphSource } from '../../graph/source';
import type { Trace } from '../../../api/types';
import { computedIn, wayTo } from './computed';

function computed(trace: Trace, turn: number): string[] {
  const source = new GraphSource(
    trace,
    trace.events.map(({ place }) => place),
  );
  const place = trace.places.filter(({ kind }) => kind === 'turn')[turn]!;
  return computedIn(source, place.id);
}

describe('wayTo', () => {
  it('names loops, turns and calls around a place, but not the turn that is told, nor a loop that stands alone', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('w', [2]);
    inTurns(sketch, loop(sketch, 'for epoch in range(2)'), [0, 1], () => {
      sketch.here = sketch.place('call', 'train', sketch.here);
      inTurns(sketch, loop(sketch, 'for batch in data'), [0, 1], () => {
        sketch.backward(sketch.apply('sum', [w], { name: 'loss', shape: [] }));
        sketch.step();
      });
    });
    const trace = sketch.trace();
    const source = new GraphSource(
      trace,
      trace.events.map(({ place }) => place),
    );
    const place = trace.events.findLast(({ kind }) => kind === 'step')!.place;
    const told = source.turns.around(place).at(-1)!;
    expect(wayTo(source, place, told).map(({ title, turn }) => turn?.number ?? title)).toEqual([
      ...['for epoch in range(2)', 2, 'train', 'for batch in data'],
    ]);
    expect(wayTo(source, place, null)).toHaveLength(5);
    const outer = source.turns.around(place).at(0)!;
    expect(wayTo(source, outer.place, outer)).toEqual([]);
  });
});

describe('computedIn', () => {
  it('names the functions of one turn, in their order', () => {
    expect(computed(trainingLoop(2), 1)).toEqual(['mul', 'sum']);
  });

  it('names modules and calls, each once', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('net.0.weight', [2]);
    inTurns(sketch, loop(sketch), [0, 1], () => {
      const turn = sketch.here;
      sketch.here = sketch.place('module', '0 · Linear', sketch.place('module', 'net · Net', turn));
      const product = sketch.apply('mul', [w, w]);
      const sum = sketch.apply('add', [product, w]);
      sketch.here = sketch.place('call', 'criterion', turn);
      const loss = sketch.apply('sum', [sum], { name: 'loss', shape: [] });
      sketch.here = turn;
      sketch.backward(loss);
      sketch.step();
    });
    expect(computed(sketch.trace(), 0)).toEqual(['0 · Linear', 'criterion()']);
  });

  it('leaves out the middle of what is long', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('w', [2]);
    inTurns(sketch, loop(sketch), [0, 1], () => {
      let h = w;
      for (const op of ['exp', 'sin', 'cos', 'tanh', 'neg', 'abs', 'sqrt']) h = sketch.apply(op, [h]);
      sketch.backward(sketch.apply('sum', [h], { name: 'loss', shape: [] }));
      sketch.step();
    });
    expect(computed(sketch.trace(), 1)).toEqual(['exp', 'sin', 'cos', 'tanh', '…', 'sqrt', 'sum']);
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../../api/types';
import { inTurns, loop } from '../../../test/loops';
import { Sketch } from '../../../test/sketch';
import { isolate, type Isolation } from './isolation';
import { GraphSource } from '../source';

const both = { before: true, after: true };

function sourceOf(trace: Trace): GraphSource {
  return new GraphSource(
    trace,
    trace.events.map(({ place }) => place),
  );
}

/** `u = exp(a)`, `v = u * b`, `w = sin(u)`, `loss = v.sum()`. */
function branches(): Trace {
  const sketch = new Sketch();
  const a = sketch.leaf('a');
  const b = sketch.leaf('b');
  const u = sketch.apply('exp', [a], { name: 'u' });
  const v = sketch.apply('mul', [u, b], { name: 'v' });
  sketch.apply('sin', [u], { name: 'w' });
  sketch.backward(sketch.apply('sum', [v], { name: 'loss', shape: [] }));
  return sketch.trace();
}

function left(trace: Trace, name: string, directions: Omit<Isolation, 'id'> = both): string[] {
  const source = sourceOf(trace);
  const id =
    trace.tensors.find(({ names }) => names[0] === name)?.id ?? trace.nodes.find(({ op }) => op === name)!.id;
  const found = isolate(source.context, source.turns, { id, ...directions })!;
  return [...found.tensors.map(({ names }) => names[0]!), ...found.nodes.map(({ op }) => op)];
}

describe('isolate', () => {
  it('leaves what leads to a tensor, and what it leads to', () => {
    expect(left(branches(), 'v')).toEqual(['a', 'b', 'u', 'v', 'loss', 'exp', 'mul', 'sum']);
    expect(left(branches(), 'b')).toEqual(['b', 'v', 'loss', 'mul', 'sum']);
    expect(left(branches(), 'w')).toEqual(['a', 'u', 'w', 'exp', 'sin']);
  });

  it('follows one direction alone', () => {
    expect(left(branches(), 'v', { before: true, after: false })).toEqual(['a', 'b', 'u', 'v', 'exp', 'mul']);
    expect(left(branches(), 'v', { before: false, after: true })).toEqual(['v', 'loss', 'sum']);
  });

  it('begins at a function too, with what it makes', () => {
    expect(left(branches(), 'mul')).toEqual(['a', 'b', 'u', 'v', 'loss', 'exp', 'mul', 'sum']);
    expect(left(branches(), 'mul', { before: true, after: false })).toEqual([
      ...['a', 'b', 'u', 'v', 'exp', 'mul'],
    ]);
  });

  it('finds what stands in its place in another turn, and nothing where there is none', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('w', [2]);
    inTurns(sketch, loop(sketch), [0, 1, 2], () => {
      const product = sketch.apply('mul', [w, w], { line: 4 });
      sketch.backward(sketch.apply('sum', [product], { name: 'loss', shape: [], line: 4 }));
      sketch.step();
    });
    const trace = sketch.trace();
    const source = sourceOf(trace);
    const losses = trace.tensors.filter(({ names }) => names[0] === 'loss');
    const last = source.slices.at(source.turns.at(trace.events.length - 1));
    const found = isolate(last, source.turns, { id: losses[0]!.id, ...both })!;
    expect(found.kept.has(losses[2]!.id)).toBe(true);
    expect(found.kept.has(losses[0]!.id)).toBe(false);
    expect(isolate(last, source.turns, { id: 'nothing', ...both })).toBeNull();
  });
});

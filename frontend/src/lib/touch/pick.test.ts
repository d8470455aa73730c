import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import runs from '../../fixtures/elements.json';
import { Lookup } from '../trace/lookup';
import { numel, toNumber } from '../trace/values';
import { elementOf, type ElementRef, type Light } from './element';
import { connected, LocalMaps } from './local_maps';
import { agree, pick, type Picked } from './pick';

const traces = new Map(
  (runs as unknown as { name: string; trace: Trace }[]).map((run) => [run.name, run.trace]),
);

function at(name: string, tensor: string, of: ElementRef['of'], k: number, passIndex = 0): Picked {
  const trace = traces.get(name)!;
  const id = trace.tensors.findLast(({ names }) => names.includes(tensor))!.id;
  const pass = trace.passes[passIndex] ?? null;
  return pick(new Lookup(trace), new LocalMaps(trace), pass, { tensor: id, of, k });
}

function cells(trace: Trace, lights: Light[], tensor: string, of: ElementRef['of']): [number, number][] {
  const id = trace.tensors.findLast(({ names }) => names.includes(tensor))!.id;
  return lights
    .filter((light) => light.tensor === id && light.of === of)
    .map(({ k, weight }): [number, number] => [k, weight])
    .toSorted(([x], [y]) => x - y);
}

describe('an element of a gradient', () => {
  const trace = traces.get('01_matrix_product')!;

  it('is the sum of upstream gradients times coefficients: 1*4 + 1*5 + 1*6 = 15', () => {
    const picked = at('01_matrix_product', 'a', 'grad', 1);
    expect(picked.kind).toBe('sum');
    expect(picked.products.map(({ value, weight }) => [value, weight])).toEqual([
      [1, 4],
      [1, 5],
      [1, 6],
    ]);
    expect(picked.total).toBe(15);
    expect(cells(trace, picked.from, 'c', 'gradient')).toEqual([
      [0, 4],
      [1, 5],
      [2, 6],
    ]);
    expect(cells(trace, picked.from, 'b', 'value')).toEqual([
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
  });

  it('shows in which gradients it is used', () => {
    const picked = at('01_matrix_product', 'c', 'gradient', 1);
    expect(picked.kind).toBe('given');
    expect(cells(trace, picked.to, 'a', 'grad')).toEqual([
      [0, 2],
      [1, 5],
    ]);
    expect(cells(trace, picked.to, 'b', 'grad')).toEqual([
      [1, 1],
      [4, 2],
    ]);
  });

  it('begins with what `.grad` held before', () => {
    const trace = traces.get('19_second_pass_adds')!;
    const leaf = trace.tensors.find(({ id }) =>
      trace.passes[1]!.accumulations.some(({ tensor }) => tensor === id),
    )!;
    const picked = at('19_second_pass_adds', leaf.names[0]!, 'grad', 0, 1);
    expect(picked.start).toEqual({
      kind: 'before',
      value: toNumber(trace.passes[0]!.accumulations[0]!.after.data![0]!),
    });
    expect(picked.kind).toBe('sum');
  });

  it('says so where a hook changed it', () => {
    const picked = at('hooked', 'y', 'gradient', 0);
    expect(picked.kind).toBe('changed');
    expect(toNumber(picked.value!)).toBeCloseTo(picked.total * 10, 4);
    expect(at('hooked', 'x', 'grad', 0).kind).toBe('sum');
  });

  it('is looked for through the transposition of a layer', () => {
    const trace = traces.get('layer')!;
    const weight = trace.tensors.find(({ names }) => names.some((name) => name.includes('weight')))!;
    const picked = at('layer', weight.names[0]!, 'grad', 1);
    expect(picked.products.length).toBe(2);
    expect(picked.kind).toBe('sum');
  });
});

describe('an element of a value', () => {
  it('of a matrix product is a sum over one operand, with the other as coefficients', () => {
    const picked = at('01_matrix_product', 'c', 'value', 2);
    expect(picked.kind).toBe('sum');
    expect(picked.products.map(({ value, weight }) => [value, weight])).toEqual([
      [1, 3],
      [2, 6],
    ]);
    const trace = traces.get('01_matrix_product')!;
    expect(cells(trace, picked.from, 'b', 'value')).toEqual([
      [2, 1],
      [5, 2],
    ]);
  });

  it('of a leaf was made by the program, and others depend on it', () => {
    const picked = at('01_matrix_product', 'a', 'value', 1);
    expect(picked.kind).toBe('given');
    expect(cells(traces.get('01_matrix_product')!, picked.to, 'c', 'value')).toEqual([
      [0, 4],
      [1, 5],
      [2, 6],
    ]);
  });

  it('has its coefficients after an error too', () => {
    expect(at('failed', 'c', 'value', 0).products.map(({ weight }) => weight)).toEqual([1, 4]);
  });

  it('of a function that is not linear moves with its inputs, and is no sum', () => {
    const trace = traces.get('many')!;
    const node = trace.nodes.find(({ op }) => op === 'exp')!;
    const ref: ElementRef = { tensor: node.outputs[0]!, of: 'value', k: 0 };
    const picked = pick(new Lookup(trace), new LocalMaps(trace), null, ref);
    expect(picked.kind).toBe('slope');
    expect(picked.products).toHaveLength(1);
    expect(picked.products[0]!.weight).toBeCloseTo(toNumber(elementOf(trace, null, ref)!), 4);
  });
});

describe('every element of every run', () => {
  for (const [name, trace] of traces)
    it(name, () => {
      const lookup = new Lookup(trace);
      const maps = new LocalMaps(trace);
      let sums = 0;
      for (const [, pass] of trace.passes.entries())
        for (const [tensor, gradient] of Object.entries(pass.gradients))
          for (let k = 0; k < numel(gradient.shape); k += 1) {
            const of = pass.accumulations.some((sum) => sum.tensor === tensor) ? 'grad' : 'gradient';
            const picked = pick(lookup, maps, pass, { tensor, of, k });
            if (name === 'hooked') expect(picked.kind).not.toBe('unknown');
            else if (maps.blocks.length > 0) expect(['sum', 'given', 'unknown']).toContain(picked.kind);
            if (picked.kind === 'sum') {
              expect(agree(picked.total, toNumber(picked.value!), 10)).toBe(true);
              sums += 1;
            }
          }
      for (const tensor of trace.tensors)
        for (let k = 0; k < numel(tensor.shape); k += 1) {
          const ref: ElementRef = { tensor: tensor.id, of: 'value', k };
          const picked = pick(lookup, maps, null, ref);
          if (picked.kind === 'sum') expect(agree(picked.total, toNumber(picked.value!), 10)).toBe(true);
        }
      if (trace.passes.length > 0) expect(sums).toBeGreaterThan(0);
    });
});

describe('the functions to ask about', () => {
  it('are those that lead to a tensor or away from it', () => {
    const trace = traces.get('shared')!;
    const m = trace.tensors.findLast(({ names }) => names.includes('m'))!.id;
    const x = trace.tensors.find(({ names }) => names.includes('x'))!.id;
    const functions = trace.nodes.filter(({ kind }) => kind !== 'constant').map(({ id }) => id);
    expect(connected(trace, m).toSorted()).toEqual(functions.toSorted());
    expect(connected(trace, x).toSorted()).toEqual(functions.toSorted());
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import runs from '../../fixtures/elements.json';
import { LocalMaps } from '../touch/local_maps';
import { pick } from '../touch/pick';
import { Lookup } from '../trace/lookup';
import { mistakesFor, type Mistake } from './mistakes';
import { questionOf } from './question';

type Wrong = [tensor: string, cell: number, typed: number, kind: Mistake['kind'], pass?: number];

/** Numbers that a learner writes, worked out by hand from the program and a misunderstanding of it. */
const answers: Record<string, Wrong[]> = {
  // a = [[1, 2], [3, 4]], b = [[1, 2, 3], [4, 5, 6]], weights of 1: a.grad[0, 1] = 4 + 5 + 6, b.grad[0, 0] = 1 + 3
  '01_matrix_product': [
    ['a', 0, -6, 'sign'],
    ['a', 0, 12, 'twice'],
    ['a', 0, 15, 'otherCell'],
    ['a', 1, 6, 'transposed'],
    ['a', 1, 30, 'twice'],
    ['a', 1, -15, 'sign'],
    ['a', 1, 4, 'oneTerm'],
    ['a', 1, 5, 'oneTerm'],
    ['a', 1, 9, 'missingTerm'],
    ['a', 1, 11, 'missingTerm'],
    ['a', 1, 2, 'value'],
    ['a', 1, 0, 'zero'],
    ['a', 1, 3, 'upstreamOnly'],
    ['b', 0, -4, 'sign'],
    ['b', 0, 8, 'twice'],
    ['b', 4, 12, 'twice'],
    ['b', 4, 5, 'value'],
  ],
  // weights [[1, 0, -1], [2, 0.5, 0]]: a.grad[1, 1] = 2*4 + 0.5*5 + 0*6
  '04_weighted_matrix_product': [
    ['a', 0, 6, 'upstreamLeftOut'],
    ['a', 0, -4, 'twice'],
    ['a', 0, 2, 'sign'],
    ['a', 1, 15, 'upstreamLeftOut'],
    ['a', 3, 15, 'upstreamLeftOut'],
    ['a', 3, 21, 'twice'],
    ['a', 3, 8, 'missingTerm'], // one of two products, and the other is missing
    ['b', 0, 4, 'upstreamLeftOut'],
    ['b', 0, 3, 'upstreamOnly'],
    ['b', 0, 6, 'missingTerm'],
    ['b', 3, 6, 'upstreamLeftOut'],
    ['b', 5, 6, 'upstreamLeftOut'],
  ],
  // out = mean of 3 (x + 2)²: x.grad = 3 * 2 * 3 / 4
  '03_mean_of_squares': [
    ['x', 0, 18, 'mean'],
    ['x', 0, 9, 'twice'],
    ['x', 0, 1, 'upstreamLeftOut'],
  ],
  // y = 3 x, weights [[1, 0.1], [0.01, 0.001]]
  '07_scaled_by_the_gradient': [
    ['x', 1, 3, 'upstreamLeftOut'],
    ['x', 1, 0.1, 'upstreamOnly'],
    ['x', 1, 0.03, 'transposed'],
    ['x', 2, 0.3, 'transposed'],
    ['x', 3, 0.001, 'upstreamOnly'],
  ],
  // out = a * a, weights a: a.grad = 2 a²
  '09_tensor_as_its_own_gradient': [
    ['a', 2, 6, 'upstreamLeftOut'],
    ['a', 2, 9, 'missingTerm'],
  ],
  // y = x ** 2, two passes
  '19_second_pass_adds': [
    ['x', 2, 12, 'twice', 0],
    ['x', 2, 3, 'value', 0],
    ['x', 2, 1, 'upstreamOnly', 0],
    ['x', 2, 6, 'withoutBefore', 1],
    ['x', 2, 18, 'twice', 1],
  ],
  // y = x * x + sin(x)
  '21_shared_input': [
    ['x', 0, 2, 'onePath'],
    ['x', 0, 0.5403, 'onePath'],
    ['x', 0, 2.5, 'rounded'],
  ],
  // y = x * row + scale
  '22_broadcasting': [
    ['row', 0, 1, 'notSummed'],
    ['row', 0, 4, 'notSummed'],
    ['row', 1, 5, 'notSummed'],
    ['row', 2, 30, 'value'],
    ['scale', 0, 1, 'notSummed'],
  ],
  // y = 3 x, z = y ** 2
  '23_intermediate_gradient': [
    ['x', 0, 6, 'upstreamOnly'],
    ['x', 0, 3, 'upstreamLeftOut'],
  ],
  // 3 is picked by the mask, twice by the list, and as the maximum
  '27_picking_elements': [
    ['x', 0, 2, 'onePath'],
    ['x', 2, 0, 'zero'],
  ],
};

const traces = new Map(
  (runs as unknown as { name: string; trace: Trace }[]).map((run) => [run.name, run.trace]),
);

function hintTo(name: string, [tensor, cell, typed, , pass = 0]: Wrong): string {
  const trace = traces.get(name)!;
  const lookup = new Lookup(trace);
  const maps = new LocalMaps(trace);
  const id = trace.tensors.find(({ names }) => names.includes(tensor))!.id;
  const question = questionOf(trace, { pass, tensor: id })!;
  const picked = (k: number) => pick(lookup, maps, trace.passes[pass]!, { tensor: id, of: question.of, k });
  return mistakesFor({ lookup, maps, question, picked }, cell, typed)[0]?.kind ?? 'none';
}

describe('the first hint to a wrong answer', () => {
  for (const [name, all] of Object.entries(answers))
    for (const wrong of all) {
      const [tensor, cell, typed, kind, pass = 0] = wrong;
      it(`${name}, pass ${pass}, ${tensor}, cell ${cell}: ${typed} is ${kind}`, () => {
        expect(hintTo(name, wrong)).toBe(kind);
      });
    }

  it('is known for fifty answers and more', () => {
    expect(Object.values(answers).flat().length).toBeGreaterThanOrEqual(50);
  });
});

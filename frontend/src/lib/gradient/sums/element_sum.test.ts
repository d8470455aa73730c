import { describe, expect, it } from 'vitest';
import { elementSum, operandsOf, type Term } from './element_sum';
import type { ArrayPart } from '../../rules/formula';

function token(name: string, shape: number[], data: number[], transposed = false): ArrayPart {
  const value = { shape, dtype: 'float32', data, summary: null };
  return { kind: 'array', name, tex: name, role: 'value', value, transposed };
}

const written = (terms: Term[] | null) =>
  terms?.map(({ negative, factors, divisors }) => {
    const over = divisors.map(({ value }) => `/${value}`).join('');
    return (negative ? '-' : '+') + factors.map(({ value }) => value).join('*') + over;
  });

const g = token('g', [2, 3], [1, 1, 1, 1, 1, 1]);
const transposedB = token('mat2', [3, 2], [1, 4, 2, 5, 3, 6], true);
const product = ['@', ['name', 'g'], ['mT', ['name', 'mat2']]];

describe('the sum behind one element', () => {
  it('writes out a matrix product and names the cells as they are drawn', () => {
    const result = { shape: [2, 2], data: [6, 15, 6, 15] };
    const terms = elementSum(product, operandsOf([g, transposedB]), result, 1);
    expect(written(terms)).toEqual(['+1*4', '+1*5', '+1*6']);
    expect(terms!.map(({ factors }) => factors.map(({ cell }) => cell))).toEqual([
      [0, 1],
      [1, 3],
      [2, 5],
    ]);
  });

  it('writes out sums, quotients and signs', () => {
    const operands = operandsOf([token('g', [2], [3, 4]), token('x', [2], [2, 8])]);
    const result = { shape: [2], data: [-1.5 + 1, -0.5 + 1] };
    const tree = ['+', ['neg', ['/', ['name', 'g'], ['name', 'x']]], ['number', 1]];
    expect(written(elementSum(tree, operands, result, 1))).toEqual(['-4/8', '+1']);
  });

  it('reads a broadcast operand where it stands', () => {
    const operands = operandsOf([token('g', [2, 2], [1, 2, 3, 4]), token('x', [2], [10, 20])]);
    const result = { shape: [2, 2], data: [10, 40, 30, 80] };
    expect(written(elementSum(['*', ['name', 'g'], ['name', 'x']], operands, result, 2))).toEqual(['+3*10']);
  });

  it('says nothing where it cannot, or where the numbers disagree', () => {
    const result = { shape: [2, 2], data: [7, 7, 7, 7] };
    expect(elementSum(product, operandsOf([g, transposedB]), result, 1)).toBeNull();
    expect(elementSum(['call', 'exp', ['name', 'g']], operandsOf([g]), result, 1)).toBeNull();
    expect(elementSum(['name', 'absent'], operandsOf([g]), result, 1)).toBeNull();
    expect(elementSum(null, operandsOf([g]), result, 0)).toBeNull();
  });
});

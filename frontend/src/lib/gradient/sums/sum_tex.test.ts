import { expect, it } from 'vitest';
import type { Term } from './element_sum';
import { termTex } from './sum_tex';

const factorsOf = (values: number[]) =>
  values.map((value) => ({ value, operand: null, cell: null, index: null }));

function term(values: number[], own: { negative?: boolean; divisors?: number[] } = {}): Term {
  const { negative = false, divisors = [] } = own;
  return { negative, factors: factorsOf(values), divisors: factorsOf(divisors) };
}

it.each([
  [term([1, 4]), true, '1\\cdot 4'],
  [term([-2.5, 5]), true, '-2.5\\cdot 5'],
  [term([-2.5, -5]), false, '+(-2.5)\\cdot (-5)'],
  [term([-3], { negative: true }), true, '-(-3)'],
  [term([3], { negative: true }), false, '-3'],
  [term([-3], { divisors: [-2] }), false, '+\\tfrac{-3}{-2}'],
  [term([]), true, '1'],
])('writes a term with its signs', (given, first, expected) => expect(termTex(given, first)).toBe(expected));

import { expect, it } from 'vitest';
import type { Value } from '../../api/types';
import { planLine } from './formula_arrays';

const COLUMN = 312;

function array(shape: number[], of = 1): Value {
  const size = shape.reduce((product, each) => product * each, 1);
  return { shape, dtype: 'float32', data: new Array<number>(size).fill(of), summary: null };
}

function kinds(values: Value[], room = COLUMN): string {
  return planLine(values, room)
    .map(({ kind }) => kind)
    .join(' ');
}

function widthOf(values: Value[], room = COLUMN): number {
  return planLine(values, room).reduce((sum, { width }) => sum + width, 0);
}

it('writes the numbers of small arrays', () => {
  expect(kinds([array([2, 3]), array([2, 2]), array([2, 3])], 240)).toBe('numbers numbers numbers');
});

it('draws what is past six rows or columns as a heat map', () => {
  expect(kinds([array([8, 4]), array([8, 16]), array([16, 4])])).toBe('heat heat heat');
});

it('fits three heat maps into the column', () => {
  expect(widthOf([array([8, 4]), array([8, 160]), array([160, 4])], 240)).toBeLessThanOrEqual(240);
});

it('keeps a single number beside a heat map', () => {
  expect(kinds([array([1]), array([40, 4])])).toBe('numbers heat');
});

it('keeps the numbers of small arrays even where they have to wrap', () => {
  expect(kinds([array([2, 3], -0.1234), array([2, 3], -0.1234), array([2, 3], -0.1234)], 240)).toBe(
    'numbers numbers numbers',
  );
});

it('gives up the numbers of larger ones instead', () => {
  const wide = array([5, 6], -0.1234);
  expect(kinds([wide, wide, wide], 240)).toBe('heat heat heat');
});

import { describe, expect, it } from 'vitest';
import type { Value } from '../../api/types';
import { cellPosition, CELLS, fontSizeFor, largestFont, planGrid, textWidth } from './grid';

function array(shape: number[], element: (k: number) => number = (k) => k): Value {
  const size = shape.reduce((x, y) => x * y, 1);
  return {
    shape,
    dtype: 'float32',
    data: Array.from({ length: size }, (_, k) => element(k)),
    summary: null,
  };
}

describe('plan', () => {
  it('draws small arrays with numbers, at one cell size', () => {
    const { rows, cols, numbers, cut, width, height } = planGrid(array([2, 3]), 'roomy');
    expect({ rows, cols, numbers, cut }).toEqual({ rows: 2, cols: 3, numbers: true, cut: false });
    expect([width, height]).toEqual([3 * CELLS.roomy.width + 2, 2 * CELLS.roomy.height + 1]);
  });

  it('makes cells wide enough for the longest number, gradients included', () => {
    const narrow = planGrid(array([1, 2]), 'tight');
    const wide = planGrid(array([1, 2]), 'tight', [array([1, 2], () => -0.0173)]);
    expect(narrow.cell.width).toBe(CELLS.tight.width);
    expect(wide.cell.width).toBeGreaterThan(textWidth('-0.0173') * 10.5);
  });

  it('draws larger arrays as colour alone, within bounds', () => {
    for (const shape of [[16, 16], [256], [1, 200], [200, 1], [3, 9, 9]]) {
      const { numbers, width, height, cell } = planGrid(array(shape), 'dense');
      expect(numbers).toBe(false);
      expect(cell.width).toBeGreaterThanOrEqual(4);
      expect(width).toBeLessThanOrEqual(240);
      expect(height).toBeLessThanOrEqual(280);
    }
  });

  it('shows a corner of a summary, each cell with its own element', () => {
    const corner = { shape: [8, 8], data: Array.from({ length: 64 }, (_, k) => k) };
    const summary = { min: 0, max: 63, mean: 30, norm: 9, nan: 0, inf: 0, corner, histogram: [] };
    const drawn = planGrid({ shape: [99, 99], dtype: 'float32', data: null, summary }, 'roomy');
    expect([drawn.rows, drawn.cols, drawn.cut]).toEqual([4, 4, true]);
    expect(cellPosition(drawn, 0, 1, 2)).toBe(10);
  });

  it('stacks the matrices of an array with more dimensions', () => {
    const drawn = planGrid(array([2, 2, 2]), 'roomy');
    expect(drawn.blocks).toBe(2);
    expect(cellPosition(drawn, 1, 0, 1)).toBe(5);
  });
});

it('shrinks long numbers to fit, down to a limit', () => {
  expect(fontSizeFor('1', 50, 14)).toBe(14);
  const font = fontSizeFor('-1.23e-05', 50, 14);
  expect(font).toBeLessThan(14);
  expect(textWidth('-1.23e-05') * font).toBeLessThanOrEqual(50);
  expect(fontSizeFor('-1.23456789e-05', 20, 14)).toBe(8);
});

it('knows the largest letters that a cell does not cut', () => {
  expect(largestFont('0', { width: 50, height: 20 })).toBe(20);
  expect(largestFont('-0.3111', { width: 40, height: 34 })).toBeLessThan(12);
});

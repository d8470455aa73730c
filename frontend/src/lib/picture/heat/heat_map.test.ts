import { describe, expect, it } from 'vitest';
import type { Value } from '../../../api/types';
import { heatCells, readOut } from './heat_map';

function value(shape: number[], at: (k: number) => number): Value {
  const size = shape.reduce((x, y) => x * y, 1);
  return { shape, dtype: 'float32', data: Array.from({ length: size }, (_, k) => at(k)), summary: null };
}

describe('a heat map', () => {
  it('has a cell for each element where there is room', () => {
    const cells = heatCells(
      value([2, 3], (k) => k - 2),
      4,
      44,
      46,
    );
    expect([cells.rows, cells.cols]).toEqual([2, 3]);
    expect([...cells.heat].map((t) => Math.round(t * 100))).toEqual([-71, -50, 0, 50, 71, 87]);
  });

  it('stacks what has more than two dimensions', () => {
    const cells = heatCells(
      value([2, 3, 4], (k) => k),
      23,
      44,
      46,
    );
    expect([cells.rows, cells.cols]).toEqual([6, 4]);
  });

  it('shows means of blocks where cells would be too small', () => {
    const cells = heatCells(
      value([100, 100], (k) => (k % 100 < 50 ? 1 : -1)),
      1,
      30,
      30,
    );
    expect([cells.rows, cells.cols]).toEqual([10, 10]);
    expect([...cells.heat.slice(0, 10)]).toEqual([1, 1, 1, 1, 1, -1, -1, -1, -1, -1]);
  });

  it('leaves what is no number without colour', () => {
    const cells = heatCells(
      value([2], (k) => (k === 0 ? NaN : 1)),
      1,
      44,
      16,
    );
    expect([...cells.heat]).toEqual([NaN, 1]);
  });
});

describe('the read-out', () => {
  it('names the element under the pointer, with its number and what the array is like', () => {
    const h = value([16, 8], (k) => (k % 2 ? 0 : k / 8));
    expect(readOut(h, 'h', 0.01, 0.9)).toEqual({
      element: 'h[14, 0]',
      number: '14',
      about: '16×8: max 15.75, norm 73.03, 65 of 128 are 0',
    });
  });

  it('stays within the array at its edges, and knows all dimensions', () => {
    const w = value([2, 3, 4], (k) => k + 1);
    expect(readOut(w, 'w', 1.2, 1)!.element).toBe('w[1, 2, 3]');
    expect(readOut(w, 'w', -1, -1)!.number).toBe('1');
    expect(readOut({ ...w, data: null }, 'w', 0, 0)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Value } from '../../api/types';
import { cellsOf, cutOut, firstPlane, movedTo, spreadOf, turned } from './plane';

function counted(...shape: number[]): Value {
  const length = shape.reduce((product, size) => product * size, 1);
  return { shape, dtype: 'float32', data: Array.from({ length }, (_, k) => k), summary: null };
}

describe('a plane through an array', () => {
  it('has the last two dimensions down and across', () => {
    expect(firstPlane([2, 3, 4])).toEqual({ down: 1, across: 2, at: [0, 0, 0] });
    expect(firstPlane([5])).toEqual({ down: null, across: 0, at: [0] });
    expect(firstPlane([])).toEqual({ down: null, across: null, at: [] });
  });

  it('finds the element of a cell', () => {
    const plane = movedTo(firstPlane([2, 3, 4]), 0, 1);
    const cells = cellsOf([2, 3, 4], plane);
    expect([cells.rows, cells.cols]).toEqual([3, 4]);
    expect(cells.element(2, 1)).toBe(12 + 8 + 1);
    expect(cells.index(2, 1)).toEqual([1, 2, 1]);
  });

  it('turns so that another dimension runs down, and swaps the two where it ran across', () => {
    const plane = firstPlane([2, 3, 4]);
    expect(turned(plane, 'down', 0)).toMatchObject({ down: 0, across: 2 });
    expect(turned(plane, 'down', 2)).toMatchObject({ down: 2, across: 1 });
    expect(turned(plane, 'across', 2)).toBe(plane);
    const swapped = turned(plane, 'down', 2);
    expect(cutOut(counted(2, 3, 4), swapped).data?.slice(0, 3)).toEqual([0, 4, 8]);
  });

  it('cuts out numbers, also of scalars and of empty arrays', () => {
    expect(cutOut(counted(), firstPlane([]))).toMatchObject({ shape: [1, 1], data: [0] });
    expect(cutOut(counted(3), firstPlane([3]))).toMatchObject({ shape: [1, 3], data: [0, 1, 2] });
    expect(cutOut(counted(0, 3), firstPlane([0, 3])).data).toEqual([]);
  });
});

describe('the spread of an array', () => {
  it('counts finite elements in equal bins, and the others apart', () => {
    const value: Value = { ...counted(5), data: [0, 1, 'NaN', '-Infinity', 0] };
    const spread = spreadOf(value)!;
    expect(spread).toMatchObject({ min: 0, max: 1, nan: 1, infinite: 1 });
    expect(spread.counts[0]).toBe(2);
    expect(spread.counts.at(-1)).toBe(1);
  });

  it('has one bin where all elements are equal, and is not there where none is finite', () => {
    expect(spreadOf({ ...counted(2), data: [3, 3] })?.counts[0]).toBe(2);
    expect(spreadOf({ ...counted(1), data: ['NaN'] })).toBeNull();
    expect(spreadOf(counted(0))).toBeNull();
  });
});

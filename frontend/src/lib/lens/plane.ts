import type { Value } from '../../api/types';
import { numel, toNumber } from '../trace/values';

/** A plane through an array: which dimensions run down and across, and where it stands in the others. */
export interface Plane {
  /** Null where the array has too few dimensions: then there is one row, or one column. */
  down: number | null;
  across: number | null;
  /** One index for each dimension; those of `down` and `across` do not count. */
  at: readonly number[];
}

/** The plane that is shown first: the last two dimensions, at the beginning of the others. */
export function firstPlane(shape: readonly number[]): Plane {
  const last = shape.length - 1;
  return { down: last > 0 ? last - 1 : null, across: last >= 0 ? last : null, at: shape.map(() => 0) };
}

/** The plane with another dimension down or across: the two change places where it was the other one. */
export function turned(plane: Plane, side: 'down' | 'across', dim: number): Plane {
  const other = side === 'down' ? 'across' : 'down';
  if (plane[side] === dim) return plane;
  const swapped = plane[other] === dim ? { [other]: plane[side] } : {};
  return { ...plane, ...swapped, [side]: dim };
}

/** The plane at another index of a dimension. */
export function movedTo(plane: Plane, dim: number, index: number): Plane {
  return { ...plane, at: plane.at.with(dim, index) };
}

/** What can be read in a plane: its size, and for each of its cells which element of the array stands there. */
export interface PlaneCells {
  rows: number;
  cols: number;
  /** The row-major number of an element in the array. */
  element(row: number, col: number): number;
  index(row: number, col: number): number[];
}

/** The cells of a plane through an array of this shape. */
export function cellsOf(shape: readonly number[], { down, across, at }: Plane): PlaneCells {
  const strides = shape.map((_, dim) => numel(shape.slice(dim + 1)));
  const size = (dim: number | null) => (dim === null ? 1 : shape[dim]!);
  const index = (row: number, col: number) =>
    shape.map((_, dim) => (dim === down ? row : dim === across ? col : at[dim]!));
  return {
    rows: size(down),
    cols: size(across),
    element: (row, col) => index(row, col).reduce((sum, each, dim) => sum + each * strides[dim]!, 0),
    index,
  };
}

/** The elements of a plane as an array of their own; of the array itself where it has no more than these. */
export function cutOut(value: Value, plane: Plane): Value {
  const { rows, cols, element } = cellsOf(value.shape, plane);
  if (!value.data || numel(value.shape) === 0) return value;
  const data = Array.from(
    { length: rows * cols },
    (_, k) => value.data![element(Math.floor(k / cols), k % cols)]!,
  );
  return { shape: [rows, cols], dtype: value.dtype, data, summary: null };
}

/** How the finite elements of an array are spread: how many lie in each of equal bins from `min` to `max`. */
export interface Spread {
  min: number;
  max: number;
  counts: number[];
  nan: number;
  infinite: number;
}

const BINS = 32;

/** The spread of an array; null where it has no finite element. */
export function spreadOf({ data, summary }: Value): Spread | null {
  if (!data) {
    if (!summary || summary.histogram.length === 0) return null;
    const [min, max] = [toNumber(summary.min ?? NaN), toNumber(summary.max ?? NaN)];
    return { min, max, counts: summary.histogram, nan: summary.nan, infinite: summary.inf };
  }
  const numbers = data.map(toNumber);
  const finite = numbers.filter(Number.isFinite);
  if (finite.length === 0) return null;
  const min = finite.reduce((a, b) => Math.min(a, b));
  const max = finite.reduce((a, b) => Math.max(a, b));
  const counts = new Array<number>(BINS).fill(0);
  for (const x of finite) {
    const bin = max > min ? Math.floor(((x - min) / (max - min)) * BINS) : 0;
    counts[Math.min(BINS - 1, bin)]! += 1;
  }
  const nan = numbers.filter(Number.isNaN).length;
  return { min, max, counts, nan, infinite: numbers.length - finite.length - nan };
}

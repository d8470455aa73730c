import type { Value } from '../../../api/types';
import {
  arrangeBlocks,
  formatElement,
  formatElementExactly,
  formatShape,
  heat,
  largestMagnitude,
  norm,
  toNumber,
  unravel,
} from '../../trace/values';
import { matrixShape } from '../thumb';

/** A heat map in cells of at least `LEAST` pixels: larger arrays are means of blocks. */
export interface HeatCells {
  rows: number;
  cols: number;
  /** Heat from -1 to 1, row by row; NaN for what has no colour. */
  heat: Float32Array;
}

const LEAST = 3;

/** The cells of an array in a box of this size. */
export function heatCells(value: Value, max: number, width: number, height: number): HeatCells {
  const { data, rows, cols } = flattened(value);
  const shownRows = Math.max(1, Math.min(rows, Math.floor(height / LEAST)));
  const shownCols = Math.max(1, Math.min(cols, Math.floor(width / LEAST)));
  const cells = new Float32Array(shownRows * shownCols);
  if (shownRows === rows && shownCols === cols) {
    for (let k = 0; k < cells.length; k += 1) cells[k] = heat(data[k] ?? NaN, max);
    return { rows, cols, heat: cells };
  }
  const counts = new Uint32Array(cells.length);
  for (let row = 0; row < rows; row += 1)
    for (let col = 0; col < cols; col += 1) {
      const k = Math.floor((row * shownRows) / rows) * shownCols + Math.floor((col * shownCols) / cols);
      const x = toNumber(data[row * cols + col] ?? NaN);
      cells[k]! += x;
      counts[k]! += 1;
    }
  for (let k = 0; k < cells.length; k += 1) cells[k] = heat(cells[k]! / counts[k]!, max);
  return { rows: shownRows, cols: shownCols, heat: cells };
}

/** The elements at hand as one matrix: of an array that is not sent whole, its corner. */
function flattened(value: Value): {
  data: readonly (number | string | boolean)[];
  rows: number;
  cols: number;
} {
  if (value.data) return { data: value.data, ...matrixShape(value) };
  const { data, rows, cols, blocks } = arrangeBlocks(value);
  return { data, rows: rows * blocks.length, cols };
}

/** What is said of the element under the pointer, and of the array that it is in. */
export interface ReadOut {
  element: string;
  number: string;
  about: string;
}

/** The element at a part of the width and of the height; null for arrays that are not sent whole. */
export function readOut(value: Value, name: string, x: number, y: number): ReadOut | null {
  if (!value.data) return null;
  const { rows, cols } = matrixShape(value);
  const row = Math.max(0, Math.min(rows - 1, Math.floor(y * rows)));
  const col = Math.max(0, Math.min(cols - 1, Math.floor(x * cols)));
  const k = row * cols + col;
  const zeros = value.data.filter((element) => toNumber(element) === 0).length;
  const size = `${formatShape(value.shape)}: max ${formatElement(largestMagnitude(value))}, norm ${formatElement(norm(value))}`;
  return {
    element: `${name}[${unravel(k, value.shape).join(', ')}]`,
    number: formatElementExactly(value.data[k] ?? NaN, value.dtype),
    about: zeros > 0 ? `${size}, ${zeros} of ${value.data.length} are 0` : size,
  };
}

import type { ArrayElement, Pass, Trace, Value } from '../../api/types';
import { versionsOf } from './events';

/** The ends of the colour scales: the magnitudes that have the full colour. */
export interface Maxima {
  value: number;
  gradient: number;
  /** Whether there are values beyond their end. */
  beyond?: boolean;
}

/** A scale of so many arrays is not stretched by a few of them. */
const MANY = 12;

/** What is out of proportion is larger than so many times the largest element of the middle array. */
const PROPORTION = 16;

/** One matrix of an array: the last two dimensions, at one index of the leading ones. */
export interface Block {
  index: number[];
  offset: number;
}

/** An array laid out for drawing. `data` is row-major over the shown elements; `cut` tells that more exist. */
export interface ArrayLayout {
  rows: number;
  cols: number;
  /** Elements from one row to the next in `data`. */
  stride: number;
  blocks: Block[];
  data: ArrayElement[];
  cut: boolean;
}

const SPELLED: Record<string, number> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity };

/** The number behind an element; booleans count as 0 and 1. */
export function toNumber(element: ArrayElement): number {
  if (typeof element === 'string') return SPELLED[element] ?? Number(element);
  return Number(element);
}

/** A number as it travels: NaN and infinities by name. */
export function toElement(x: number): ArrayElement {
  return Number.isFinite(x) ? x : String(x);
}

function formatInteger(x: number): string {
  if (Object.is(x, -0)) return '-0';
  return Math.abs(x) < 1e6 ? String(x) : scientific(x);
}

function scientific(x: number): string {
  const [mantissa = '', exponent = ''] = x.toExponential(2).split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${trimZeros(mantissa)}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

function formatFraction(x: number): string {
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e6) return scientific(x);
  const whole = Math.max(0, Math.floor(Math.log10(size)) + 1);
  return trimZeros(x.toFixed(Math.max(0, Math.min(4, 4 - whole))));
}

/** An element as briefly as it can be said: `6`, `4.5`, `0.03`, `1e-05`, `-0`, `nan`, `inf`, `True`. */
export function formatElement(element: ArrayElement): string {
  if (typeof element === 'boolean') return element ? 'True' : 'False';
  const x = toNumber(element);
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  return Number.isInteger(x) ? formatInteger(x) : formatFraction(x);
}

/** An element where there is little room: three decimals, `-6e-5` for what they would round to 0. */
export function formatBriefly(element: ArrayElement): string {
  if (typeof element === 'boolean') return formatElement(element);
  const x = toNumber(element);
  const size = Math.abs(x);
  if (!Number.isFinite(x) || (Number.isInteger(x) && size < 1e5)) return formatElement(element);
  if (size < 5e-4 || size >= 1e5) return x.toExponential(0).replace('e+', 'e');
  return x.toFixed(size < 1 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

/** The shortest text of a number that float32 reads back as the same one, where the number is one of float32: `2.4`. */
export function shortest(x: number): string {
  if (!Number.isFinite(x) || Number.isInteger(x) || Math.fround(x) !== x) return String(x);
  for (let digits = 1; digits <= 9; digits += 1) {
    const brief = Number(x.toPrecision(digits));
    if (Math.fround(brief) === x) return String(brief);
  }
  return String(x);
}

/** An element with all its digits, for a tooltip. */
export function formatElementExactly(element: ArrayElement, dtype = 'float32'): string {
  if (typeof element === 'boolean') return formatElement(element);
  const x = toNumber(element);
  if (!Number.isFinite(x) || Object.is(x, -0)) return formatElement(element);
  return dtype === 'float64' ? String(x) : shortest(x);
}

/** Where an element stands on its colour scale, from -1 to 1; NaN where it has no place there. */
export function heat(element: ArrayElement, max: number): number {
  const x = toNumber(element);
  if (!Number.isFinite(x)) return NaN;
  if (max <= 0 || x === 0) return 0;
  return Math.sign(x) * Math.sqrt(Math.min(1, Math.abs(x) / max));
}

/** How the shape reads beside a name: `2×3`, `3`, and nothing for a scalar. */
export function formatShape(shape: number[]): string {
  return shape.join('×');
}

/** The number of elements of a shape. */
export function numel(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** A count with commas: `12,288`. The browser's own formatter takes longer to start than a picture to draw. */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Zeros in the shape and dtype of an array. */
export function zerosLike({ shape, dtype }: Pick<Value, 'shape' | 'dtype'>): Value {
  return { shape, dtype, data: new Array<number>(numel(shape)).fill(0), summary: null };
}

/** The index of the k-th element (row-major) of an array of this shape. */
export function unravel(k: number, shape: number[]): number[] {
  const index: number[] = [];
  let rest = k;
  for (const size of shape.toReversed()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}

/** An array as stacked matrices: a scalar is one cell, a vector one row, leading dimensions are blocks. */
export function arrangeBlocks(value: Value): ArrayLayout {
  const cut = value.data === null;
  const shape = cut ? (value.summary?.corner.shape ?? []) : value.shape;
  const data = value.data ?? value.summary?.corner.data ?? [];
  const cols = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  const leading = shape.slice(0, -2);
  const blocks = Array.from({ length: numel(leading) }, (_, k) => ({
    index: unravel(k, leading),
    offset: k * rows * cols,
  }));
  return { rows, cols, stride: cols, blocks, data, cut };
}

function largest(elements: readonly ArrayElement[]): number {
  let max = 0;
  for (const element of elements) {
    const size = Math.abs(toNumber(element));
    if (size > max && Number.isFinite(size)) max = size;
  }
  return max;
}

/** The largest finite magnitude in an array. */
export function largestMagnitude(value: Value | null): number {
  if (!value) return 0;
  if (value.data) return largest(value.data);
  return largest([value.summary?.min ?? 0, value.summary?.max ?? 0]);
}

/** The Frobenius norm over the finite elements of an array. */
export function norm(value: Value): number {
  if (!value.data) return toNumber(value.summary?.norm ?? 0) || 0;
  let sum = 0;
  for (const element of value.data) {
    const x = toNumber(element);
    if (Number.isFinite(x)) sum += x * x;
  }
  return Math.sqrt(sum);
}

/** The sum of arrays of one shape; null where not all of them were sent whole. */
export function sumOf(values: readonly Value[]): Value | null {
  const [first, ...others] = values;
  if (!first || values.some(({ data }) => data?.length !== first.data?.length || !data)) return null;
  const data = first.data!.map((x, k) =>
    toElement(others.reduce((sum, { data: more }) => sum + toNumber(more![k]!), toNumber(x))),
  );
  return { ...first, data };
}

/** Every gradient that moves in a pass, but the one number that a scalar's pass starts from. */
function* gradientsOf(pass: Pass): Generator<Value> {
  const scalars = new Set<string>();
  for (const { tensor, gradient } of pass.roots) {
    if (numel(gradient.shape) === 1) scalars.add(tensor);
    else yield gradient;
  }
  for (const [tensor, gradient] of Object.entries(pass.gradients)) if (!scalars.has(tensor)) yield gradient;
  for (const step of pass.steps) for (const gradInput of step.grad_inputs) yield gradInput.value;
}

/**
 * The end of a scale for arrays of these largest magnitudes. One mask of -1e9, or one sum over a data set, would leave all
 * others without a colour: where there are many, what is out of proportion has the full colour and no say.
 */
export function scaleEnd(magnitudes: readonly number[]): number {
  const sizes = magnitudes.filter((size) => size > 0).toSorted((a, b) => a - b);
  const last = sizes.at(-1) ?? 0;
  if (sizes.length < MANY) return last;
  const limit = PROPORTION * sizes[sizes.length >> 1]!;
  return sizes.findLast((size) => size <= limit) ?? last;
}

/**
 * The end of the scale of gradients. A loss starts from 1, and so do the losses that it is a sum of: beside the gradient of
 * a mean all else would be white. So one number has a say only in a leaf's `.grad`, or where there is nothing but numbers.
 */
function gradientEnd(trace: Trace): number {
  let [arrays, numbers, hasArrays] = [0, 0, false];
  for (const pass of trace.passes) {
    for (const { after } of pass.accumulations) arrays = Math.max(arrays, largestMagnitude(after));
    for (const each of gradientsOf(pass)) {
      const size = largestMagnitude(each);
      if (numel(each.shape) === 1) numbers = Math.max(numbers, size);
      else [arrays, hasArrays] = [Math.max(arrays, size), hasArrays || size > 0];
    }
  }
  return hasArrays ? arrays : Math.max(arrays, numbers);
}

/** Whether a gradient of one number stands outside the scale: it is an outlined bead without heat. */
export function isOutside(element: ArrayElement | undefined, count: number, max: number): boolean {
  if (element === undefined || count !== 1) return false;
  const size = Math.abs(toNumber(element));
  return Number.isFinite(size) && size > max;
}

/** The ends of the colour scales, over the whole run. */
export function maxima(trace: Trace): Maxima {
  const sizes = trace.tensors.map((tensor) =>
    [tensor, ...versionsOf(tensor)].reduce((most, { value }) => Math.max(most, largestMagnitude(value)), 0),
  );
  const value = scaleEnd(sizes);
  return { value, gradient: gradientEnd(trace), ...(sizes.some((size) => size > value) && { beyond: true }) };
}

/** `−33`, `−8`, `0`, `8`, `33`: the numbers at t = -1, -1/2, 0, 1/2, 1 of a scale; `≥33` where there is more beyond. */
export function ticks(max: number, beyond = false): string[] {
  const [least = '', ...others] = ticksWithin(max);
  return beyond ? [`≤${least}`, ...others.slice(0, -1), `≥${others.at(-1)}`] : [least, ...others];
}

function ticksWithin(max: number): string[] {
  const quarter = max / 4;
  if (max >= 1e6 || (max > 0 && max < 1e-3)) {
    const [short, shorter] = [max, quarter].map((x) => x.toExponential(1).replace(/(\.0)?e\+?/, 'e'));
    return [`−${short}`, `−${shorter}`, '0', shorter!, short!];
  }
  const half = max >= 6 ? String(Math.round(quarter)) : formatElement(Number(quarter.toPrecision(2)));
  const end =
    Number.isInteger(max) && max < 1e5
      ? String(max)
      : formatElement(Number(max.toPrecision(max < 1 ? 2 : 3)));
  return [`−${end}`, `−${half}`, '0', half, end];
}

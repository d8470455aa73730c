import type { Trace, Value } from '../../api/types';
import { textOf } from '../trace/spans';
import { numel, toNumber } from '../trace/values';

/** Nested lists, as the API takes arrays. */
export type Nested = number | Special | Nested[];

/** JSON has no such numbers: they travel by name. */
type Special = 'NaN' | 'Infinity' | '-Infinity';

/** A gradient that the reader gave: its shape and its elements, row-major. */
export interface GradientEdit {
  shape: number[];
  data: number[];
}

/** The gradients that the reader gave, by the index of the pass. */
export type Edits = Record<string, GradientEdit>;

export const presets = ['ones', 'zeros', 'oneHot', 'random', 'itself'] as const;
export type Preset = (typeof presets)[number];

/** Past this many cells the grid shows a corner and the presets. */
export const MAX_CELLS = 64;

function spelled(x: number): number | Special {
  return Number.isFinite(x) ? x : (String(x) as Special);
}

/** A flat array as nested lists. */
export function toNested({ shape, data }: GradientEdit): Nested {
  if (shape.length === 0) return spelled(data[0] ?? 0);
  const [size = 0, ...rest] = shape;
  const width = numel(rest);
  return Array.from({ length: size }, (_, k) =>
    toNested({ shape: rest, data: data.slice(k * width, (k + 1) * width) }),
  );
}

/** What a reader typed as a number: also `1/3`, `1e-3`, `inf`, `nan`, `−2`. Null where it is none. */
export function parseCell(text: string): number | null {
  const plain = text.trim().toLowerCase().replaceAll('−', '-').replace(/^\+/, '');
  const quotient = plain.split('/');
  if (quotient.length === 2) return divided(parseCell(quotient[0]!), parseCell(quotient[1]!));
  if (/^-?inf(inity)?$/.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  if (plain === 'nan') return NaN;
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(plain) ? Number(plain) : null;
}

function divided(left: number | null, right: number | null): number | null {
  return left === null || right === null || right === 0 ? null : left / right;
}

/** The numbers of an array that came whole; null for a summary. */
export function allNumbers(value: Value | null | undefined): number[] | null {
  return value?.data?.map(toNumber) ?? null;
}

/** A standard normal number to two digits, so that it fits its cell. */
function normal(random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return Math.round(radius * Math.cos(2 * Math.PI * random()) * 100) / 100;
}

/** The gradient of a preset. `cell` is the one for one-hot, `own` the output's own values. */
export function presetGradient(
  preset: Preset,
  size: number,
  options: { cell: number; own: number[] | null; random?: () => number },
): number[] | null {
  const random = options.random ?? Math.random;
  if (preset === 'itself') return options.own;
  if (preset === 'random') return Array.from({ length: size }, () => normal(random));
  return Array.from({ length: size }, (_, k) =>
    Number(preset === 'ones' || (preset === 'oneHot' && k === options.cell)),
  );
}

/** Which preset a gradient is, if any. */
export function presetOf(data: readonly number[], own: readonly number[] | null): Preset | null {
  if (data.every((x) => x === 1)) return 'ones';
  if (data.every((x) => x === 0)) return 'zeros';
  if (own && data.every((x, k) => Object.is(x, own[k]))) return 'itself';
  return hotCell(data) === null ? null : 'oneHot';
}

/** The cell that holds the only 1 among zeros; null where there is no such cell. */
export function hotCell(data: readonly number[]): number | null {
  const hot = data.indexOf(1);
  return hot >= 0 && data.every((x, k) => k === hot || x === 0) ? hot : null;
}

/** How much a drag of one pixel changes a cell: a tenth of its size, in round steps. */
function dragStep(start: number): number {
  const size = Math.abs(start);
  return size >= 1 && Number.isFinite(size) ? 10 ** Math.floor(Math.log10(size)) / 10 : 0.1;
}

/** A cell dragged up by `pixels` from `start`. */
export function draggedValue(start: number, pixels: number): number {
  if (!Number.isFinite(start)) return Math.round(pixels / 4) / 10;
  const step = dragStep(start);
  const moved = start + Math.round(pixels / 4) * step;
  return Number((Math.round(moved / step) * step).toPrecision(10));
}

/** The cell that an arrow key leads to, staying within the grid. */
export function neighbourCell(cell: number, key: string, columns: number, size: number): number {
  const moves: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  };
  const next = cell + (moves[key] ?? 0);
  return next >= 0 && next < size ? next : cell;
}

/**
 * The edits that still mean something for a trace: their pass exists, its root has their shape, and the program's own
 * argument there (`texts`, by pass) is still the text that it was when the edit was made.
 */
export function validEdits(edits: Edits, trace: Trace, texts: Record<string, string>): Edits {
  const kept = Object.entries(edits).filter(([k, { shape }]) => {
    const pass = trace.passes[Number(k)];
    const text = argumentText(trace, Number(k));
    return pass?.gradient.shape.join() === shape.join() && text === (texts[k] ?? text);
  });
  return Object.fromEntries(kept);
}

/** The source text of the gradient argument of a pass; empty where there is none. */
export function argumentText(trace: Trace, k: number): string {
  const span = trace.passes[k]?.gradient_span;
  return span ? textOf(trace.source, span) : '';
}

import type { TensorRecord, Value } from '../../api/types';
import { formatElement, numel } from '../trace/values';
import { texNumber } from './formula';

/** More elements than this stay a symbol among numbers. */
export const MATRIX_ELEMENTS = 36;
const MOST_ITEMS = 8;
const SPECIAL: Record<string, string> = { inf: '\\infty', '-inf': '-\\infty', nan: '\\mathrm{nan}' };

function escaped(text: string): string {
  return text.replace(/[\\~^]/g, ' ').replace(/[_#$%&{}]/g, '\\$&');
}

/** A tensor as a mathematical symbol: its name, or `u` with its number. */
export function symbolOf({ names, id }: TensorRecord): string {
  const name = names[0];
  if (name === undefined) return `u_{${id.slice(1)}}`;
  return [...name].length === 1 ? escaped(name) : `\\mathit{${escaped(name)}}`;
}

/** The gradient of a symbol: a bar over its letter, not over a subscript. */
export function barred(tex: string): string {
  const [, letter = tex, subscript = ''] = /^(\w)(_\{\d+\})$/.exec(tex) ?? [];
  return (letter.length === 1 ? `\\bar{${letter}}` : `\\overline{${letter}}`) + subscript;
}

/** A setting of a call. */
export function settingTex(setting: unknown): string {
  if (typeof setting === 'number') return bracketed(texNumber(formatElement(setting)));
  if (setting === null || setting === undefined) return ':';
  if (Array.isArray(setting)) {
    const items = setting.slice(0, MOST_ITEMS).map(settingTex);
    return [...items, ...(setting.length > MOST_ITEMS ? ['\\dots'] : [])].join(',\\,');
  }
  if (typeof setting === 'boolean') return `\\text{${formatElement(setting)}}`;
  const special = SPECIAL[formatElement(String(setting))];
  return special ? bracketed(special) : `\\text{${escaped(String(setting))}}`;
}

function bracketed(tex: string): string {
  return tex.startsWith('-') ? `\\left(${tex}\\right)` : tex;
}

function elementTex(element: boolean | number | string): string {
  if (typeof element === 'boolean') return element ? '1' : '0';
  const text = formatElement(element);
  return SPECIAL[text] ?? texNumber(text);
}

/** An array as a LaTeX matrix: a number plain, a vector as a row, more dimensions as a matrix of matrices. */
export function matrixTex({ shape, data }: Value): string {
  const cells = (data ?? []).map(elementTex);
  if (shape.length === 0) return bracketed(cells[0] ?? '');
  return nested(shape.length === 1 ? [1, ...shape] : shape, cells);
}

function nested(shape: number[], cells: string[]): string {
  const size = numel(shape.slice(1));
  const rows = Array.from({ length: shape[0]! }, (_, k) => cells.slice(k * size, (k + 1) * size));
  const lines = rows.map((row) => (shape.length > 2 ? nested(shape.slice(1), row) : row.join(' & ')));
  return `\\begin{bmatrix} ${lines.join(' \\\\ ')} \\end{bmatrix}`;
}

/** Exponents such as `3-1` worked out, and an exponent of one left away. */
export function tidy(tex: string): string {
  return tex
    .replace(/\^\{(\d+(?:\.\d+)?)-1\}/g, (_, n: string) => `^{${texNumber(formatElement(Number(n) - 1))}}`)
    .replace(/\^\{\\left\((-\d+(?:\.\d+)?)\\right\)-1\}/g, (_, n: string) => `^{${Number(n) - 1}}`)
    .replace(/\^\{1\}/g, '');
}

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

/** More primes than this are counted, as the engine counts them. */
const MOST_PRIMES = 3;

/** The symbols of the tensors of one formula by their ids: primes tell those apart that have the same letter. */
export function symbolsOf(tensors: readonly Pick<TensorRecord, 'id' | 'symbol'>[]): Map<string, string> {
  const symbols = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, symbol } of tensors) {
    if (symbols.has(id)) continue;
    let tex = symbol;
    for (let k = 1; taken.has(tex); k += 1) tex = primed(symbol, k);
    taken.add(tex);
    symbols.set(id, tex);
  }
  return symbols;
}

function primed(symbol: string, times: number): string {
  if (symbol.endsWith(')}')) return `{${symbol}}${"'".repeat(times)}`;
  return symbol + (times <= MOST_PRIMES ? "'".repeat(times) : `^{(${times})}`);
}

/** A subscript, then primes or their number, at the end of a symbol. */
const ENDING = /(?:_\{(?:[^{}]|\{[^{}]*\})*\})?(?:'+|\^\{\(\d+\)\})?$/;

/** The gradient of a symbol: a bar over its letter, not over what follows. */
export function barred(tex: string): string {
  const at = tex.search(ENDING);
  const [letter, ending] = [tex.slice(0, at), tex.slice(at)];
  return ([...letter].length === 1 ? `\\bar{${letter}}` : `\\overline{${letter}}`) + ending;
}

/** A symbol to which a subscript or an exponent can be set. */
export function closed(tex: string): string {
  return /(?<!\\)[_^]/.test(tex) ? `{${tex}}` : tex;
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

/** A formula whose brackets do not grow, so that lines can break between them. */
export function loosened(tex: string): string {
  return tex.replace(/\\(?:left|right)\s*\./g, '').replace(/\\(?:left|right)(?![a-z])\s*/g, '');
}

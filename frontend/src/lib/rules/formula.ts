import type { Value } from '../../api/types';

/** An array in a formula: its symbol and its numbers, already transposed where `transposed` says so. */
export interface ArrayPart {
  kind: 'array';
  name: string;
  tex: string;
  role: 'value' | 'gradient';
  value: Value;
  transposed: boolean;
}

/** A part of a formula that can be drawn by itself. */
export type FormulaPart = { kind: 'tex'; tex: string } | ArrayPart;

/** An index as a subscript; mathematics counts from 1: `[0, 1]` is ₁₂, `[9, 0]` is ₁₀,₁. */
export function subscript(index: readonly number[]): string {
  const ones = index.map((k) => k + 1);
  return ones.some((k) => k > 9) ? ones.join(',') : ones.join('');
}

/** A number as LaTeX. */
export function texNumber(text: string): string {
  if (/[a-z]{3}/.test(text)) return `\\text{${text}}`;
  const [mantissa, exponent] = text.split('e');
  return exponent === undefined ? text : `${mantissa}\\cdot 10^{${Number(exponent)}}`;
}

import type { TensorRecord } from '../../api/types';
import { subscript } from '../rules/formula';
import { unravel } from '../trace/values';

/** A tensor's letter: its own name where that is one, else its symbol; a parameter's path would not fit a column. */
export function letterTex({ names, symbol }: TensorRecord): string {
  const name = names[0] ?? '';
  if (/^[a-zA-Z]$/.test(name)) return name;
  if (/^[a-zA-Z]\w{1,4}$/.test(name)) return `\\mathit{${name.replaceAll('_', '\\_')}}`;
  return symbol || '\\cdot';
}

/** An element in mathematics, which counts from 1: *x*₁₂; the tensor itself without an index. */
export function elementTex(tensor: TensorRecord, k: number | null): string {
  const letter = letterTex(tensor);
  const index = k === null ? '' : subscript(unravel(k, tensor.shape));
  if (index === '') return letter;
  return letter.includes('_') ? `(${letter})_{${index}}` : `${letter}_{${index}}`;
}

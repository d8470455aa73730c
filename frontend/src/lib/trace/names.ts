import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import { unravel } from './values';

/** Longest expression that serves as the name of a tensor without one. */
const LONGEST_NAME = 18;

/** What the page calls a tensor. */
export function nameOf({ names, expression, id }: TensorRecord): string {
  const name = names[0] ?? expression.replace(/\s+/g, ' ');
  if (name === '') return id;
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}

/** Operations whose name is another in a program, or too long for a picture. */
const CALLED: Record<string, string> = {
  affine: 'linear',
  binary_cross_entropy: 'bce',
  binary_cross_entropy_with_logits: 'bce_with_logits',
  scaled_dot_product_attention: 'attention',
};

/** What a reader calls an operation: the engine tells its overloads apart by endings. */
export function opName(op: string): string {
  return (CALLED[op] ?? op)
    .replace(/_(scalar|tensor|all|dim|list|base)$/, '')
    .replace(/^(norm|split)_.*$/, '$1');
}

/** What a CopySlices writes: `y[0] =`. */
export function writtenTo(node: NodeRecord, trace: Trace): string {
  const line = trace.source.split('\n')[(node.span?.line ?? 0) - 1] ?? '';
  const target = /^\s*([^=]*\])\s*[-+*/]?=(?!=)/.exec(line.slice(0, 400))?.[1];
  return target ? `${oneLine(target)} =` : node.op;
}

/** A text without its line breaks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** `[0, 1]`; nothing for a scalar. */
export function indexText(shape: number[], k: number): string {
  return shape.length > 0 ? `[${unravel(k, shape).join(', ')}]` : '';
}

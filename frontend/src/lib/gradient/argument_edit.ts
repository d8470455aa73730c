import type { ErrorRecord, TensorRecord, Trace } from '../../api/types';
import { rangeOf, type TextRange } from '../trace/spans';
import { numel } from '../trace/values';
import type { GradientEdit } from './gradient_edit';

/** Python's text for a number: a float that PyTorch reads back as the same one. */
function literal(x: number): string {
  if (Number.isNaN(x)) return 'float("nan")';
  if (!Number.isFinite(x)) return x > 0 ? 'float("inf")' : '-float("inf")';
  if (Object.is(x, -0)) return '-0.';
  const text = String(x);
  return /[.e]/.test(text) ? text : `${text}.`;
}

function nested({ shape, data }: GradientEdit): string {
  if (shape.length === 0) return literal(data[0] ?? 0);
  const [size = 0, ...rest] = shape;
  const width = data.length / Math.max(size, 1);
  const parts = Array.from({ length: size }, (_, k) =>
    nested({ shape: rest, data: data.slice(k * width, (k + 1) * width) }),
  );
  return `[${parts.join(', ')}]`;
}

/** What a program calls torch; null where it has not imported it under a name. A lone expression need not. */
function torchName(source: string): string | null {
  const found = /^[ \t]*(?:>>> |In \[\d+\]: )?import torch(?:[ \t]+as[ \t]+(\w+))?[ \t]*(?:$|[,;#])/m.exec(
    source,
  );
  if (found) return found[1] ?? 'torch';
  return /\bimport\b/.test(source) ? null : 'torch';
}

/** The text of a tensor that a program can pass as gradient; null where it cannot say so. */
function tensorText(source: string, edit: GradientEdit, dtype: string): string | null {
  const torch = torchName(source);
  if (torch === null || !['float32', 'float64'].includes(dtype)) return null;
  return `${torch}.tensor(${nested(edit)}${dtype === 'float64' ? `, dtype=${torch}.float64` : ''})`;
}

/** Where the arguments of a call `….backward(…)` begin; null where it is no such call. */
function argumentsOf(source: string, { from, to }: TextRange): number | null {
  const call = source.slice(from, to);
  for (const found of call.matchAll(/(?<!\bautograd)\.\s*backward\s*\(/g)) {
    const start = found.index + found[0].length;
    if (closing(call, start) === call.length - 1) return from + start;
  }
  return null;
}

/** Where the bracket that is open at `start` is closed; texts in quotes are skipped. */
function closing(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const c = text[at]!;
    if (c === '"' || c === "'") at = text.indexOf(c, at + 1);
    if (at < 0) return -1;
    if ('([{'.includes(c)) depth += 1;
    if (')]}'.includes(c) && (depth -= 1) === 0) return at;
  }
  return -1;
}

function withFirst(source: string, call: TextRange, text: string): string | null {
  const at = argumentsOf(source, call);
  if (at === null) return null;
  const alone = /^\s*\)/.test(source.slice(at));
  return `${source.slice(0, at)}${text}${alone ? '' : ', '}${source.slice(at)}`;
}

/**
 * The program with these numbers as the gradient argument of its `k`-th pass. Null where the text cannot say so: the call
 * runs several passes, or is none of `backward`.
 */
export function withArgument(trace: Trace, k: number, edit: GradientEdit): string | null {
  const { source, passes } = trace;
  const pass = passes[k];
  if (!pass?.span || pass.kind !== 'backward' || pass.roots.length !== 1) return null;
  const call = rangeOf(source, pass.span);
  const isOnce = passes.every(
    (each) => each === pass || !each.span || rangeOf(source, each.span).from !== call.from,
  );
  const text = tensorText(source, edit, pass.gradient.dtype);
  if (!isOnce || text === null || argumentsOf(source, call) === null) return null;
  if (!pass.gradient_span) return withFirst(source, call, text);
  const { from, to } = rangeOf(source, pass.gradient_span);
  return source.slice(0, from) + text + source.slice(to);
}

/** The program with a gradient for the call that failed because it has none; null where that is not what failed. */
export function withMissingArgument(
  source: string,
  error: ErrorRecord,
  edit: GradientEdit,
  dtype: string,
): string | null {
  if (error.code !== 'nonscalar-backward' || !error.span) return null;
  const text = tensorText(source, edit, dtype);
  return text === null ? null : withFirst(source, rangeOf(source, error.span), text);
}

/** The output whose backward failed because it has no gradient, where the program can be given one. */
export function unweightedOutput({ error, source, tensors }: Trace): TensorRecord | null {
  const output = error && tensors.find(({ id }) => id === error.tensor);
  if (!error || !output) return null;
  const zeros = { shape: output.shape, data: new Array<number>(numel(output.shape)).fill(0) };
  return withMissingArgument(source, error, zeros, output.dtype) === null ? null : output;
}

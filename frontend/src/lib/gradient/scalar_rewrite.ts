import type { Pass, TensorRecord, Trace, Value } from '../../api/types';
import { rangeOf, textOf } from '../trace/spans';
import { toNumber } from '../trace/values';
import { toNested, type GradientEdit } from './gradient_edit';

/** A program in which one `y.backward(g)` is written as `(y * g).sum().backward()`. */
export interface Rewritten {
  before: string;
  after: string;
  source: string;
}

/** A gradient as source text: what the program passes, or what the reader gave in its place. */
function weights(trace: Trace, pass: Pass, edit: GradientEdit | undefined): string {
  if (edit) return `torch.tensor(${JSON.stringify(toNested(edit)).replaceAll('"', '')})`;
  const text = pass.gradient_span ? textOf(trace.source, pass.gradient_span) : '';
  const argument = trace.tensors.find((tensor) => tensor.id === pass.roots[0]?.argument);
  // As an argument it is a number like any other; in a product a gradient would flow into it too.
  return argument?.requires_grad ? `${text}.detach()` : text;
}

/** Writes the call of a pass as a scalar's; null where the call is not of the form `y.backward(...)`. */
export function rewriteAsScalar(trace: Trace, pass: Pass, edit: GradientEdit | undefined): Rewritten | null {
  if (!pass.span || pass.kind !== 'backward') return null;
  const before = textOf(trace.source, pass.span);
  const call = /^([^]*)\.backward\s*\(([^]*)\)$/.exec(before);
  const given = weights(trace, pass, edit);
  if (!call || given === '') return null;
  const after = `(${call[1]!} * ${given}).sum().backward(${options(trace, pass, call[2]!.length)})`;
  const { from, to } = rangeOf(trace.source, pass.span);
  return { before, after, source: trace.source.slice(0, from) + after + trace.source.slice(to) };
}

/**
 * A program that computes a loss from the output of a pass, here half the sum of its squares, and begins the pass there: then the
 * upstream gradient of the output is the output itself. Null where the call is not of the form `y.backward(...)`.
 */
export function laterLoss(trace: Trace, pass: Pass): { loss: string; source: string } | null {
  if (!pass.span || pass.kind !== 'backward') return null;
  const { from, to } = rangeOf(trace.source, pass.span);
  const call = /^(\w+)\.backward\s*\([^]*\)$/.exec(textOf(trace.source, pass.span));
  const start = trace.source.lastIndexOf('\n', from - 1) + 1;
  const indent = trace.source.slice(start, from);
  if (!call || indent.trim() !== '') return null;
  const loss = `loss = (${call[1]!} ** 2).sum() / 2`;
  const lines = `${loss}\n${indent}loss.backward()`;
  return { loss, source: trace.source.slice(0, from) + lines + trace.source.slice(to) };
}

/** The arguments of a call (its last `length` characters before the bracket) without the gradient. */
function options({ source }: Trace, { span, gradient_span }: Pass, length: number): string {
  const end = rangeOf(source, span!).to - 1;
  const gradient = gradient_span ? rangeOf(source, gradient_span) : { from: end, to: end };
  const before = source.slice(end - length, gradient.from).replace(/gradient\s*=\s*$/, '');
  const parts = (before + source.slice(gradient.to, end)).split(',').map((part) => part.trim());
  return parts.filter(Boolean).join(', ');
}

/** The tensors that end with a `.grad`, latest by name. */
export function tensorsWithGrad(trace: Trace): Map<string, TensorRecord> {
  const found = trace.tensors.filter(({ grad, names }) => grad && names.length > 0);
  return new Map(found.map((tensor) => [tensor.names[0]!, tensor]));
}

/** Whether two arrays hold the same numbers, to float32's precision. */
export function sameNumbers(left: Value | null, right: Value | null): boolean {
  if (!left?.data || !right?.data || left.data.length !== right.data.length) return false;
  return left.data.every((x, k) => {
    const [a, b] = [toNumber(x), toNumber(right.data![k]!)];
    return Object.is(a, b) || Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a));
  });
}

import type { ErrorRecord, TensorRecord, Trace } from '../../api/types';
import { rangeOf, type TextRange } from '../trace/spans';
import { unweightedBy } from '../trace/visibility';
import { numel, shortest } from '../trace/values';
import { argumentAt, callAt, type CallText } from './call_text';
import { argumentText, type GradientEdit } from './gradient_edit';

/** Python's text for a number: a float that PyTorch reads back as the same one. */
function literal(x: number, dtype: string): string {
  if (Number.isNaN(x)) return 'float("nan")';
  if (!Number.isFinite(x)) return x > 0 ? 'float("inf")' : '-float("inf")';
  if (Object.is(x, -0)) return '-0.';
  const single = Math.fround(x);
  const text = dtype === 'float32' && Number.isFinite(single) ? shortest(single) : String(x);
  return /[.e]/.test(text) ? text : `${text}.`;
}

function nested({ shape, data }: GradientEdit, dtype: string): string {
  if (shape.length === 0) return literal(data[0] ?? 0, dtype);
  const [size = 0, ...rest] = shape;
  const width = data.length / Math.max(size, 1);
  const parts = Array.from({ length: size }, (_, k) =>
    nested({ shape: rest, data: data.slice(k * width, (k + 1) * width) }, dtype),
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
  return `${torch}.tensor(${nested(edit, dtype)}${dtype === 'float64' ? `, dtype=${torch}.float64` : ''})`;
}

function replaced(source: string, { from, to }: TextRange, text: string): string {
  return source.slice(0, from) + text + source.slice(to);
}

/** The program with a gradient in a call that has none: of a method as the first argument, of a function by its name. */
function withNew(source: string, call: CallText, text: string): string {
  const isAlone = call.given.length === 0;
  if (call.position === 0)
    return replaced(source, { from: call.open, to: call.open }, isAlone ? text : `${text}, `);
  const last = call.given.at(-1)?.to ?? call.open;
  return replaced(source, { from: last, to: last }, `, ${call.keyword}=${text}`);
}

/**
 * The program with these numbers as the gradient argument of its `k`-th pass. Null where the text cannot say so: the call
 * runs several passes, begins at several outputs, or is of a form that is not known.
 */
export function withArgument(trace: Trace, k: number, edit: GradientEdit): string | null {
  const { source, passes } = trace;
  const pass = passes[k];
  if (!pass?.span || pass.roots.length !== 1) return null;
  const range = rangeOf(source, pass.span);
  const text = tensorText(source, edit, pass.gradient.dtype);
  const call = callAt(source, range);
  if (!isOnce(trace, k) || text === null || call === null || call.isBatched) return null;
  if (pass.gradient_span) return replaced(source, rangeOf(source, pass.gradient_span), text);
  return call.isSpread ? null : withNew(source, call, text);
}

/** Whether the call of a pass runs no other: one text then says one gradient. */
export function isOnce({ source, passes }: Trace, k: number): boolean {
  const { span } = passes[k]!;
  if (!span) return true;
  const { from } = rangeOf(source, span);
  return passes.every((each, other) => other === k || !each.span || rangeOf(source, each.span).from !== from);
}

/**
 * The program with a gradient for the call that failed because it has none, or one of another shape; null where that is not
 * what failed, or where the text cannot say it.
 */
export function withMissingArgument(
  source: string,
  error: ErrorRecord,
  edit: GradientEdit,
  dtype: string,
): string | null {
  if (unweightedBy(error) === null || !error.span) return null;
  const text = tensorText(source, edit, dtype);
  const call = callAt(source, rangeOf(source, error.span));
  if (text === null || call === null || call.isBatched || call.isSpread || call.hasSeveral) return null;
  const before = argumentAt(call);
  return before ? replaced(source, before, text) : withNew(source, call, text);
}

/** The output whose backward failed because its gradient is missing or misshapen, where the program can be given one. */
export function unweightedOutput({ error, source, tensors }: Trace): TensorRecord | null {
  const output = error && tensors.find(({ id }) => id === error.tensor);
  if (!error || !output) return null;
  const zeros = { shape: output.shape, data: new Array<number>(numel(output.shape)).fill(0) };
  return withMissingArgument(source, error, zeros, output.dtype) === null ? null : output;
}

/** The words of a text that is made of numbers alone. */
const OF_NUMBERS =
  /^(?:torch|tensor|Tensor|FloatTensor|DoubleTensor|dtype|float|float32|float64|inf|nan|e\d*)$/;

/** Whether an argument is made of something else than numbers: other tensors, functions, settings. */
export function isExpression(source: string, text: string): boolean {
  const words = text.match(/(?<!\w)[\p{L}_]\w*/gu) ?? [];
  const torch = torchName(source);
  return words.some((word) => word !== torch && !OF_NUMBERS.test(word) && word !== 'None');
}

/** By pass: the expressions that the grid has taken the place of, with that of pass `k`, where it still is one. */
export function withReplaced(
  before: Record<string, string>,
  trace: Trace,
  k: number,
): Record<string, string> {
  const text = argumentText(trace, k);
  return before[k] === undefined && isExpression(trace.source, text) ? { ...before, [k]: text } : before;
}

/** By pass: the expressions that the grid has taken the place of, with the one that has another shape than its output. */
export function withMisshapen(
  before: Record<string, string>,
  { source, error, passes }: Trace,
): Record<string, string> {
  const call = error?.span ? callAt(source, rangeOf(source, error.span)) : null;
  const range = call && argumentAt(call);
  return range ? { ...before, [passes.length]: source.slice(range.from, range.to) } : before;
}

import type { ErrorRecord, Span, TensorRecord, Trace } from '../../api/types';
import type { Messages } from '../../i18n/en';
import { passNumber } from '../../lib/trace/names';
import { formatShape, numel, withCommas } from '../../lib/trace/values';

/** What stands after a line: plain words, then a name in code. */
export interface Hint {
  line: number;
  words: string;
  code: string;
  /** What stands there where there is no room for more. */
  brief: string;
}

/** The hints of a trace, one for a line: what it made, or which pass it ran. */
export function hintsOf(trace: Trace, t: Messages): Hint[] {
  const hints = new Map<number, Hint>();
  const gradFns = new Map(trace.nodes.map((node) => [node.id, node.grad_fn]));
  const leaves = new Map<number, TensorRecord[]>();
  const shown = new Set(trace.shown);
  /** What a layer keeps count in is not what its line makes. */
  const isKept = ({ id, names, node }: TensorRecord) =>
    node === null && !shown.has(id) && names[0]!.includes('.');
  const told = trace.tensors.filter((each) => each.span && each.names.length > 0 && !isKept(each));
  for (const tensor of told) {
    if (!tensor.is_leaf || !tensor.requires_grad) continue;
    const line = tensor.span!.line;
    const made = leaves.get(line);
    if (made) made.push(tensor);
    else leaves.set(line, [tensor]);
  }
  const last = new Map(told.map((tensor) => [tensor.span!.line, tensor]));
  for (const [line, tensor] of last) {
    const made = tensor.is_leaf ? null : gradFns.get(tensor.node ?? '');
    const words = [
      formatShape(tensor.shape),
      made ? '' : tensor.requires_grad ? t.editor.leaf : t.editor.noGradient,
    ];
    hints.set(line, hint(line, words, made ?? ''));
  }
  for (const [line, made] of leaves)
    if (made.length > 1) {
      const numbers = made.reduce((sum, { shape }) => sum + numel(shape), 0);
      hints.set(line, hint(line, [t.editor.leaves(made.length), t.editor.numbers(withCommas(numbers))], ''));
    }
  for (const [line, passes] of passLines(trace)) {
    const isGrad = trace.passes[passes[0]!]?.kind === 'grad';
    const numbers = passes.map((k) => passNumber(trace, k));
    const name = (isGrad ? t.editor.gradPass : t.editor.pass)(rangeText(numbers));
    hints.set(line, hint(line, [name], ''));
  }
  return [...hints.values()];
}

/** The positions of the passes that each line runs. */
function passLines(trace: Trace): Map<number, number[]> {
  const lines = new Map<number, number[]>();
  trace.passes.forEach(({ span }, k) => {
    if (span) lines.set(span.line, [...(lines.get(span.line) ?? []), k]);
  });
  return lines;
}

/** `#1` of one pass, `#1 … #5` of several. */
function rangeText(numbers: readonly number[]): string {
  const ends = numbers.length > 1 ? [numbers[0], numbers.at(-1)] : numbers;
  return ends.map((number) => `#${number}`).join(' … ');
}

/** The hints that still belong to their lines: of a text that failed to run, those of the lines that it left as they were. */
export function hintsFor(source: string, trace: Trace, t: Messages): Hint[] {
  const hints = hintsOf(trace, t);
  if (source === trace.source) return hints;
  const [now, then] = [source.split('\n'), trace.source.split('\n')];
  return hints.filter(({ line }) => now[line - 1] === then[line - 1]);
}

function hint(line: number, words: string[], code: string): Hint {
  const [brief = '', ...more] = words.filter((word) => word !== '');
  return { line, words: [brief, ...more].join(' '), code, brief };
}

/** The lines of a failed program that were not run: those after the statement that failed. */
export function idleLines(source: string, error: ErrorRecord | null): number[] {
  const stopped = error && (error.frames[0]?.span ?? error.span);
  if (!stopped) return [];
  const lines = source.split('\n');
  return lines.flatMap((text, k) =>
    k + 1 > stopped.end_line && text.trim() !== '' && !text.trim().startsWith('#') ? [k + 1] : [],
  );
}

/** The lines that a span touches. */
export function linesOf(span: Span | null): number[] {
  if (!span) return [];
  return Array.from({ length: span.end_line - span.line + 1 }, (_, k) => span.line + k);
}

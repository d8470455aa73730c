import type { TextRange } from '../trace/spans';

/** One argument of a call, without the name that it is given by. */
interface Given extends TextRange {
  name: string | null;
}

/** The text of a call that begins a pass: `y.backward(...)`, `autograd.backward(y, ...)`, `autograd.grad(y, x, ...)`. */
export interface CallText {
  /** Where its arguments begin. */
  open: number;
  given: Given[];
  /** Where the gradient stands among them, and what it is called there. */
  position: number;
  keyword: string;
  /** Each row of the gradient begins a pass of its own. */
  isBatched: boolean;
  /** Some arguments are unpacked: nobody can tell which. */
  isSpread: boolean;
  /** The pass begins at several outputs. */
  hasSeveral: boolean;
}

/** Where a text in quotes that begins at `at` ends. */
function endOfQuoted(text: string, at: number): number {
  const quote = text.slice(at, at + 3) === text[at]!.repeat(3) ? text.slice(at, at + 3) : text[at]!;
  for (let k = at + quote.length; k < text.length; k += 1) {
    if (text[k] === '\\') k += 1;
    else if (text.startsWith(quote, k)) return k + quote.length;
  }
  return text.length;
}

/** The places of the commas outside of inner brackets, and of the bracket that closes the one open at `start`. */
function partsFrom(text: string, start: number): { commas: number[]; close: number } {
  const commas: number[] = [];
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const c = text[at]!;
    if (c === '"' || c === "'") at = endOfQuoted(text, at) - 1;
    else if (c === '#') at = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
    else if ('([{'.includes(c)) depth += 1;
    else if (')]}'.includes(c) && (depth -= 1) === 0) return { commas, close: at };
    else if (c === ',' && depth === 1) commas.push(at);
  }
  return { commas, close: -1 };
}

function givenAt(source: string, from: number, to: number): Given | null {
  const text = source.slice(from, to);
  const start = from + (text.length - text.trimStart().length);
  const end = to - (text.length - text.trimEnd().length);
  if (start >= end) return null;
  const named = /^(\w+)\s*=(?!=)\s*/.exec(source.slice(start, end));
  return { name: named?.[1] ?? null, from: start + (named?.[0].length ?? 0), to: end };
}

type Form = readonly [RegExp, number, string];

/** Ways to begin a pass, by what stands before the bracket. */
function formsIn(source: string): Form[] {
  const imported = source.matchAll(
    /\b(?:torch\.autograd|from\s+torch\s+import\s[^\n]*\bautograd)\s+as\s+(\w+)/g,
  );
  const modules = ['autograd', ...Array.from(imported, ([, name]) => name!)].join('|');
  return [
    [/(?:^|\.)\s*grad\s*\($/, 2, 'grad_outputs'],
    [new RegExp(String.raw`(?:^|\b(?:${modules})\s*\.)\s*backward\s*\($`), 1, 'grad_tensors'],
    [/\bTensor\s*\.\s*backward\s*\($/, 1, 'gradient'],
    [/\.\s*backward\s*\($/, 0, 'gradient'],
  ];
}

/** The call that a range of a program holds; null where it is none that begins a pass. */
export function callAt(source: string, { from, to }: TextRange): CallText | null {
  const text = source.slice(from, to);
  for (const bracket of text.matchAll(/\b(?:backward|grad)\s*\(/g)) {
    const start = bracket.index + bracket[0].length;
    const { commas, close } = partsFrom(text, start);
    const form = formsIn(source).find(([pattern]) => pattern.test(text.slice(0, start)));
    if (close !== text.length - 1 || !form) continue;
    const bounds = [start - 1, ...commas, close];
    const given = bounds
      .slice(1)
      .flatMap((end, k) => givenAt(source, from + bounds[k]! + 1, from + end) ?? []);
    return described(source, from + start, given, form);
  }
  return null;
}

function described(source: string, open: number, given: Given[], [, position, keyword]: Form): CallText {
  const starts = (k: number) => source.slice(given[k]!.from);
  return {
    open,
    given,
    position,
    keyword,
    isBatched: given.some(({ name }) => name === 'is_grads_batched'),
    isSpread: given.some((_, k) => starts(k).startsWith('*')),
    hasSeveral:
      position > 0 &&
      given.length > 0 &&
      /^[[(].*,\s*[^\s\])]/s.test(source.slice(given[0]!.from, given[0]!.to)),
  };
}

/** Where a call has its gradient; null where it has none. */
export function argumentAt({ given, position, keyword }: CallText): TextRange | null {
  const named = given.find(({ name }) => name === keyword);
  if (named) return named;
  const before = given.slice(0, position + 1);
  return before.length > position && before.every(({ name }) => name === null) ? before[position]! : null;
}

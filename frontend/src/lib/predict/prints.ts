import type { Trace } from '../../api/types';
import { toNested, type Nested } from '../gradient/gradient_edit';
import { eventsOf } from '../trace/events';
import { lineText } from '../trace/spans';
import { toNumber } from '../trace/values';
import { hiddenBy, type Asked } from './mask';

/** Stands in an output for what was printed and would tell the answer; of Unicode's private use. */
export const HIDDEN_PRINT = '\uE0FF';
/** None of what is printed is known not to tell the answer. */
export const NO_PRINTS: ReadonlySet<number> = new Set();

/** Stands for a line whose names nobody can follow. */
const UNKNOWN = 'grad';

interface Print {
  text: string;
  line: string;
}

/** What is printed after the pass that is asked about, in order. */
export function printsAfter(trace: Trace, asked: Asked): Print[] {
  const events = eventsOf(trace);
  const at = events.findIndex(
    (event) => event.kind === 'pass' && event.pass === trace.passes[asked.pass]?.id,
  );
  if (at < 0) return [];
  return events.slice(at + 1).flatMap((event) => {
    if (event.kind !== 'print') return [];
    const line = event.span && isOutside(trace, event.place) ? lineText(trace.source, event.span) : UNKNOWN;
    return [{ text: event.text, line }];
  });
}

/** Whether a place is in no function: the names in a line then are the program's own. */
function isOutside({ places }: Trace, place: string | null): boolean {
  const found = places.find(({ id }) => id === place);
  return (
    !found ||
    ((found.kind === 'loop' || found.kind === 'turn') && isOutside({ places } as Trace, found.parent))
  );
}

/** The output with what is printed after the pass, and a sign for each part of it that is hidden. */
export function withPrints(masked: Trace, trace: Trace, asked: Asked, harmless: ReadonlySet<number>): Trace {
  const parts = printsAfter(trace, asked).map(({ text }, k) => (harmless.has(k) ? text : HIDDEN_PRINT));
  const shown = parts.filter((part, k) => part !== HIDDEN_PRINT || parts[k - 1] !== HIDDEN_PRINT);
  return { ...masked, stdout: masked.stdout + shown.join('') };
}

/** Two other gradients for a pass: with them everything that depends on its gradients is something else. */
export function otherGradients(trace: Trace, { pass }: Asked): Nested[] {
  const { shape, data } = trace.passes[pass]!.gradient;
  const given = (data ?? []).map(toNumber);
  const turned = given.map((x, k) => -1.7 * x - 0.31 - 0.07 * k);
  const mixed = given.map((x, k) => (k % 2 === 0 ? 2.3 : -0.9) * x + 0.53 + 0.11 * ((k * 7) % 5));
  return [turned, mixed].map((each) => toNested({ shape, data: each }));
}

/**
 * Which of the prints after the pass do not tell the answer: they are the same in runs with other gradients, have none of
 * the numbers that are hidden, and no name in their lines comes from a gradient. A gradient that is 0 is the same in every
 * run: then nobody can tell, and none is shown.
 */
export function harmlessPrints(trace: Trace, asked: Asked, others: readonly Trace[]): Set<number> {
  const prints = printsAfter(trace, asked);
  const hidden = hiddenNumbers(trace, asked);
  const compared = others.map((other) => printsAfter(other, asked));
  const isSame = compared.length > 0 && compared.every(({ length }) => length === prints.length);
  if (!isSame || hidden === null) return new Set();
  const tainted = namesFromGradients(trace.source);
  const found = prints.flatMap(({ text, line }, k) => {
    const isHarmless =
      compared.every((each) => each[k]!.text === text) &&
      !numbersIn(text).some((x) => hidden.some((answer) => isClose(x, answer))) &&
      !wordsOf(line).some((word) => tainted.has(word));
    return isHarmless ? [k] : [];
  });
  return new Set(found);
}

/** Every number that is hidden; null where one of them is the same whatever the gradient is. */
function hiddenNumbers(trace: Trace, { pass, tensor }: Asked): number[] | null {
  const one = trace.passes[pass]!;
  const { tensors } = hiddenBy(trace, one, tensor);
  const values = [
    ...[...tensors].flatMap((id) => one.gradients[id] ?? []),
    ...one.accumulations
      .filter((sum) => tensors.has(sum.tensor))
      .flatMap(({ after, incoming }) => [after, incoming]),
  ];
  if (values.some(({ data }) => data === null)) return null;
  const numbers = values.flatMap(({ data }) => data!.map(toNumber));
  return numbers.every((x) => Number.isFinite(x) && x !== 0) ? numbers : null;
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+/g) ?? []).map(Number);
}

/** Whether a printed number, which has few digits and maybe another sign, is this one. */
function isClose(printed: number, x: number): boolean {
  return Math.abs(printed - Math.abs(x)) <= Math.max(2e-3 * Math.abs(x), 5e-5);
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}_]\w*/gu) ?? [];
}

/** The names of a program that are assigned from a gradient, or from one of these names; `grad` itself among them. */
function namesFromGradients(source: string): Set<string> {
  const lines = source.split('\n').flatMap((line) => {
    const found = /^[^=]*?([\p{L}_][\w.,\s[\]*]*?)\s*(?:[-+*/@|&]|\*\*|\/\/)?=(?!=)(.*)$/u.exec(line);
    return found ? [{ to: wordsOf(found[1]!), from: wordsOf(found[2]!) }] : [];
  });
  const names = new Set(['grad', 'jacobian', 'vjp', 'jvp']);
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const { to, from } of lines)
      if (from.some((word) => names.has(word))) to.forEach((word) => names.add(word));
  }
  return names;
}

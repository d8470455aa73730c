import type { PredictWords } from '../../i18n/predict';
import type { ElementRef } from '../touch/element';
import type { Picked } from '../touch/pick';
import { factor } from '../touch/wording';
import { indexText, nameOf } from '../trace/names';
import type { Lookup } from '../trace/lookup';
import { formatElement, numel, toElement, unravel } from '../trace/values';
import type { Mistake } from './mistakes';
import type { Question } from './question';

/** How far hints go: where to look, the products, what to add, the answer. */
export const HINTS = 4;
/** More cells, and more products, are not listed. */
const MOST_LISTED = 12;

/** What is asked for: `a.grad`, `gradient of h`. */
export function questionName(lookup: Lookup, words: PredictWords, { tensor, of }: Question): string {
  const name = lookup.name(tensor);
  return of === 'grad' ? `${name}.grad` : words.gradientOf(name);
}

/** The name of one of its cells. */
export function cellName(lookup: Lookup, words: PredictWords, question: Question, k: number): string {
  return `${questionName(lookup, words, question)}${indexText(question.shape, k)}`;
}

/** The cells that go into an element: upstream gradients, and the values that the coefficients are from. */
export function ingredients(picked: Picked): ElementRef[] {
  return [
    ...picked.products.map(({ cell }) => cell),
    ...picked.from.filter(({ of, near }) => of === 'value' && near),
  ];
}

/** One hint of the ladder. */
export function hintFor(
  lookup: Lookup,
  words: PredictWords,
  question: Question,
  picked: Picked,
  level: number,
): string {
  const k = picked.ref.k;
  const answer = formatElement(toElement(question.answers[k]!));
  if (level >= HINTS) return words.answer(cellName(lookup, words, question, k), answer);
  if (picked.products.length === 0 && !picked.start) return words.nothing;
  if (level === 1) return words.where + described(lookup, words, ingredients(picked)).join(words.with) + '.';
  const listed = picked.products.slice(0, MOST_LISTED);
  const rest = picked.products.length > MOST_LISTED ? ' …' : '';
  const before = picked.start ? words.before(factor(picked.start.value, true)) : '';
  if (level === 2)
    return (
      words.products(
        listed.map(({ value, weight }) => `${factor(value, true)}·${factor(weight)}`).join(', ') + rest,
      ) + before
    );
  return (
    words.sum(
      listed.map(({ value, weight }, at) => factor((value ?? NaN) * weight, at === 0)).join(' + ') + rest,
    ) + before
  );
}

/** Cells by their tensors: a row, a column, all of it, or a few. */
function described(lookup: Lookup, words: PredictWords, cells: readonly ElementRef[]): string[] {
  const groups = new Map<string, ElementRef[]>();
  for (const cell of cells) {
    const key = `${cell.tensor} ${cell.of}`;
    (groups.get(key) ?? groups.set(key, []).get(key)!).push(cell);
  }
  return [...groups.values()].map((group) => {
    const { tensor, of } = group[0]!;
    const record = lookup.tensor(tensor)!;
    const name = of === 'value' ? nameOf(record) : words.gradientOf(nameOf(record));
    return part(words, name, record.shape, new Set(group.map(({ k }) => k)));
  });
}

function part(words: PredictWords, name: string, shape: number[], cells: ReadonlySet<number>): string {
  if (cells.size === numel(shape)) return words.all(name);
  const places = [...cells].map((k) => unravel(k, shape));
  const [rows, columns] = [shape.at(-2), shape.at(-1)];
  const same = (axis: number) => places.every((place) => place[axis] === places[0]![axis]);
  if (shape.length === 2 && same(0) && cells.size === columns) return words.row(places[0]![0]!, name);
  if (shape.length === 2 && same(1) && cells.size === rows) return words.column(places[0]![1]!, name);
  const listed = [...cells].slice(0, MOST_LISTED).map((k) => indexText(shape, k));
  return words.few(listed.join(', ') + (cells.size > MOST_LISTED ? ' …' : ''), name);
}

/** What a mistake was, in words. */
export function mistakeText(
  lookup: Lookup,
  words: PredictWords,
  question: Question,
  { kind, detail, cell }: Mistake,
): string {
  const told = words.mistake[kind];
  if (typeof told === 'string') return told;
  return told(cell === null ? detail : cellName(lookup, words, question, cell));
}

/** Which numbers are asked for, as a sentence. */
export function questionText(lookup: Lookup, words: PredictWords, question: Question): string {
  const pass = lookup.trace.passes[question.pass];
  const sending = pass?.steps.filter((step) =>
    step.grad_inputs.some(({ edge }) => lookup.edge(edge)?.tensor === question.tensor),
  );
  const name = questionName(lookup, words, question);
  const [only, ...more] = sending ?? [];
  const before = pass?.accumulations.some(({ tensor, before: held }) => tensor === question.tensor && held);
  if (!only || more.length > 0 || before) return words.asked(question.cells.length, name);
  return words.ask(question.cells.length, name, `\`${lookup.functionName(only.node)}\``);
}

import type { Pass, Trace } from '../../api/types';
import { turnerOf } from '../rules/layer';
import type { Lookup } from '../trace/lookup';
import { numel, toNumber } from '../trace/values';
import type { Asked } from './mask';

/** A gradient to be worked out, cell by cell. */
export interface Question extends Asked {
  /** Of a leaf what `.grad` holds after the pass, of another tensor its gradient in the pass. */
  of: 'grad' | 'gradient';
  shape: number[];
  /** The flat indices that are asked for, all of them where there are few. */
  cells: number[];
  /** The whole gradient, row-major. */
  answers: number[];
}

/** Of more elements some are asked for. */
const MOST_CELLS = 12;
const SAMPLE = 4;

/** Every gradient of a pass that can be asked for: those of leaves first. */
export function askable(lookup: Lookup, pass: number): Question[] {
  const found = lookup.trace.passes[pass];
  if (!found) return [];
  const leaves = found.accumulations.map(({ tensor }) => tensor);
  const roots = new Set(found.roots.map(({ tensor }) => tensor));
  const others = Object.keys(found.gradients).filter(
    (id) =>
      !leaves.includes(id) && !roots.has(id) && lookup.trace.shown.includes(id) && !turnerOf(lookup, id),
  );
  return [...leaves, ...others].flatMap((tensor) => questionOf(lookup.trace, { pass, tensor }) ?? []);
}

/** What is asked for; null where the trace does not have the answer in full. */
export function questionOf(trace: Trace, asked: Asked, cells: number[] | null = null): Question | null {
  const pass = trace.passes[asked.pass];
  const sum = pass?.accumulations.findLast(({ tensor }) => tensor === asked.tensor);
  const value = sum?.after ?? pass?.gradients[asked.tensor];
  if (!value?.data || value.data.length === 0) return null;
  const answers = value.data.map(toNumber);
  const { shape } = value;
  const of = sum ? 'grad' : 'gradient';
  return { ...asked, of, shape, cells: cells ?? cellsOf(numel(shape)), answers };
}

function cellsOf(size: number): number[] {
  if (size <= MOST_CELLS) return Array.from({ length: size }, (_, k) => k);
  return Array.from({ length: SAMPLE }, (_, k) => Math.floor(((2 * k + 1) * size) / (2 * SAMPLE)));
}

/** Whether a number is the answer: to a thousandth, as one rounds. */
export function isRight(typed: number, answer: number): boolean {
  if (!Number.isFinite(answer) || !Number.isFinite(typed)) return Object.is(typed, answer);
  return (
    Math.abs(typed - answer) <= Math.max(1e-3 * Math.abs(answer), 5e-4 * Math.min(1, Math.abs(answer)), 1e-9)
  );
}

/** Five cells of a run's gradients, of as many gradients as there are, without one twice. */
export function roundOf(lookup: Lookup, most: number, random: () => number = Math.random): Question[] {
  const gradients = lookup.trace.passes.flatMap((_: Pass, pass) => askable(lookup, pass));
  const cells = gradients.flatMap((question) => question.cells.map((cell) => ({ question, cell })));
  const mixed = cells.map((each) => ({ ...each, at: random() })).toSorted((x, y) => x.at - y.at);
  const seen = new Map<string, number>();
  const turns = mixed.map((each) => {
    const key = `${each.question.pass} ${each.question.tensor}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { ...each, turn: seen.get(key)! };
  });
  return turns
    .toSorted((x, y) => x.turn - y.turn)
    .slice(0, most)
    .map(({ question, cell }) => ({ ...question, cells: [cell] }));
}

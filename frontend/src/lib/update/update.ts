import type { EventOf, Value } from '../../api/types';
import { changeDuring } from '../trace/events';
import { gradBefore } from './grad_at';
import type { Lookup } from '../trace/lookup';
import { assignmentsOf } from '../trace/optimizer_state';
import { formatElement, norm, numel, toNumber } from '../trace/values';
import { readAssignment, workOut, writeCode, type Assignment } from './assignment';

/** An array that an optimizer keeps for a parameter. */
export interface Buffer {
  name: string;
  before: Value | null;
  after: Value;
}

/** One line of a rule: as code where it can be written so, and as LaTeX. */
export interface UpdateLine {
  tex: string;
  code: string | null;
  /** The same with the numbers of one element; null where they do not come to what was recorded. */
  numbers: string | null;
}

/** What an optimizer's step does to one parameter. */
export interface ParameterUpdate {
  tensor: string;
  before: Value;
  after: Value;
  grad: Value | null;
  buffers: Buffer[];
  /** How far it moved. */
  distance: number;
  /** The rate, where the step is the rate times `.grad` and nothing else. */
  plainRate: string | null;
}

interface State {
  symbols?: Record<string, string>;
  groups?: { tensors?: string[]; settings?: Record<string, unknown>; rule?: string[] }[];
  buffers?: Record<string, Record<string, { before?: Value | null; after?: Value | null }>>;
}

type StepEvent = EventOf<'step'>;

function groupOf({ state }: StepEvent, tensor: string) {
  const { groups = [] } = state as State;
  return groups.find(({ tensors }) => tensors?.includes(tensor)) ?? groups[0];
}

/** How far apart two arrays are. */
export function distance(before: Value, after: Value): number {
  if (!before.data || !after.data) return NaN;
  const data = after.data.map((x, k) => toNumber(x) - toNumber(before.data![k]!));
  return norm({ ...after, data });
}

/** What a step does to one of its parameters; null where its values were not kept. */
export function updateOf(
  lookup: Lookup,
  event: StepEvent,
  at: number,
  tensor: string,
): ParameterUpdate | null {
  const held = lookup.tensor(tensor);
  const change = held && changeDuring(held, at, at + 1);
  if (!change) return null;
  const [before, after] = change;
  const kept = Object.entries((event.state as State).buffers?.[tensor] ?? {});
  const buffers = kept.flatMap(([name, { before: old, after: now }]) =>
    now ? [{ name, before: old ?? null, after: now }] : [],
  );
  const rates = groupOf(event, tensor)?.settings?.['lr'];
  const rule = assignmentsOf(event);
  const isPlain = rule.length === 1 && /^\\theta \\leftarrow \\theta - \\gamma\\, g$/.test(rule[0]!);
  return {
    tensor,
    before,
    after,
    grad: gradBefore(lookup, tensor, at),
    buffers,
    distance: distance(before, after),
    plainRate: isPlain && typeof rates === 'number' ? formatElement(rates) : null,
  };
}

/** The letters of a step: those of settings with their numbers, those of buffers with their names. */
class Vocabulary {
  private readonly numbers = new Map<string, number>();
  private readonly buffers = new Map<string, Buffer>();

  constructor(
    event: StepEvent,
    private readonly update: ParameterUpdate,
    private readonly parameter: string,
  ) {
    const { symbols = {} } = event.state as State;
    const settings = groupOf(event, update.tensor)?.settings ?? {};
    for (const [name, symbol] of Object.entries(symbols)) {
      const letters = symbol.split(/,\s*/);
      const given = Array.isArray(settings[name]) ? settings[name] : [settings[name]];
      letters.forEach((letter, k) => typeof given[k] === 'number' && this.numbers.set(letter, given[k]));
      const buffer = update.buffers.find((each) => each.name === name);
      if (buffer && buffer.after.shape.length === 0 && numel(update.after.shape) !== 1)
        this.numbers.set(symbol, toNumber(buffer.after.data?.[0] ?? NaN));
      else if (buffer && name === 'step') this.numbers.set(symbol, toNumber(buffer.after.data?.[0] ?? NaN));
      else if (buffer) this.buffers.set(symbol, buffer);
    }
  }

  say(letter: string): string {
    if (letter === '\\theta') return this.parameter;
    if (letter === 'g') return `${this.parameter}.grad`;
    const number = this.numbers.get(letter);
    return this.buffers.get(letter)?.name ?? (number === undefined ? letter : formatElement(number));
  }

  /** The number behind a letter for one element; a buffer that was already written has its new one. */
  number(letter: string, cell: number, changed: Map<string, number>): number {
    const known = changed.get(letter) ?? this.numbers.get(letter);
    if (known !== undefined) return known;
    if (letter === '\\theta') return toNumber(this.update.before.data?.[cell] ?? NaN);
    if (letter === 'g') return toNumber(this.update.grad?.data?.[cell] ?? NaN);
    const buffer = this.buffers.get(letter);
    return buffer ? toNumber(buffer.before?.data?.[cell] ?? 0) : NaN;
  }

  /** What was recorded for a letter after the step; NaN for what no record tells. */
  recorded(letter: string, cell: number): number {
    if (letter === '\\theta') return toNumber(this.update.after.data?.[cell] ?? NaN);
    return toNumber(this.buffers.get(letter)?.after.data?.[cell] ?? NaN);
  }
}

function isNear(found: number, expected: number): boolean {
  return Math.abs(found - expected) <= 2e-4 * Math.max(1e-6, Math.abs(expected)) + 1e-9;
}

/** The first step of a momentum buffer takes the gradient as it is. */
function isFirst({ target }: Assignment, update: ParameterUpdate): boolean {
  return target === 'b' && update.buffers.some(({ name, before }) => name.startsWith('momentum') && !before);
}

/** The lines of a step's rule for one parameter, with the numbers of one element. */
export function linesOf(
  event: StepEvent,
  update: ParameterUpdate,
  parameter: string,
  cell: number,
): UpdateLine[] {
  const words = new Vocabulary(event, update, parameter);
  const changed = new Map<string, number>();
  /** The rule goes on with a gradient of its own: what stands in `.grad` stays as it is. */
  let isOwn = false;
  const say = (letter: string) => (isOwn && letter === 'g' ? 'g' : words.say(letter));
  return assignmentsOf(event).map((tex) => {
    const read = readAssignment(tex);
    if (!read || /\\/.test(writeCode(read.value, (name) => words.say(name))))
      return { tex, code: null, numbers: null };
    const value = isFirst(read, update) ? ({ kind: 'name', name: 'g' } as const) : read.value;
    const numberOf = (letter: string) => words.number(letter, cell, changed);
    const found = workOut(value, numberOf);
    const recorded = words.recorded(read.target, cell);
    const isTrue = Number.isFinite(found) && (Number.isNaN(recorded) || isNear(found, recorded));
    const written = writeCode(value, (letter) => formatElement(numberOf(letter)));
    changed.set(read.target, Number.isNaN(recorded) ? found : recorded);
    const target = read.target === 'g' ? 'g' : words.say(read.target);
    const code = `${target} ← ${writeCode(value, say)}`;
    if (read.target === 'g') isOwn = true;
    return { tex, code, numbers: isTrue ? `${written} = ${formatElement(changed.get(read.target)!)}` : null };
  });
}

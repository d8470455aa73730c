import type { LessonCheck, NodeRecord, TensorRecord, Trace, Value } from '../../api/types';
import { opName } from '../trace/names';

/** Where the playhead is: on a beat, and what that is about. */
export interface PlayheadPlace {
  beat: string;
  /** The names of the tensors and functions of the beat. */
  of: readonly string[];
}

/** The run, and what the reader has done to the page. */
export interface Situation {
  trace: Trace;
  /** What the chosen thing is called: the names of a tensor, of its element, of a function. */
  chosen: readonly string[];
  view: string;
  playhead: PlayheadPlace | null;
  ended: boolean;
  /** The number that was typed. */
  answer: number | null;
}

/** How far a number may be from the one expected, relative to it; the page shows four digits. */
const TOLERANCE = 1e-3;
const NEARLY_ZERO = 1e-6;

/** Whether a step is done. The server decides the same, in `backend/lessons/checks.py`. */
export function isMet(check: LessonCheck, situation: Situation): boolean {
  const { trace } = situation;
  return (
    endsAsAsked(check, trace) &&
    every(check.value, (path, expected) => valueIs(trace, path, expected)) &&
    every(check.gradient, (path, expected) => gradientIs(trace, path, expected)) &&
    (check.passes === null || trace.passes.length === check.passes) &&
    (check.functions ?? []).every((name) => trace.nodes.some((node) => functionNames(node).includes(name))) &&
    every(check.tensor, (name, facts) => isTrueOf(trace, name, facts)) &&
    every(
      check.events,
      (kind, times) => trace.events.filter((each) => each.kind === kind).length === times,
    ) &&
    (check.prints ?? []).every((text) => trace.stdout.includes(text)) &&
    (check.source ?? []).every((text) => packed(trace.source).includes(packed(text))) &&
    hasNotes(check.notes, trace) &&
    pageIs(check, situation)
  );
}

/** Whether an edit of the program is what makes a check pass: the rest the reader does to the page. */
export function asksForEdit(check: LessonCheck): boolean {
  const ofPage = ['chosen', 'view', 'playhead', 'answer'];
  return Object.entries(check).some(([name, asked]) => !ofPage.includes(name) && (asked ?? null) !== null);
}

export function functionNames({ grad_fn, op }: NodeRecord): string[] {
  return [grad_fn, op, opName(op)].filter((name) => name !== null);
}

/** The tensor that a name stands for at the end of the run. */
export function tensorNamed(trace: Trace, name: string): TensorRecord | null {
  return trace.tensors.findLast(({ names }) => names.includes(name)) ?? null;
}

function every<T>(asked: Record<string, T> | null, holds: (name: string, expected: T) => boolean): boolean {
  return Object.entries(asked ?? {}).every(([name, expected]) => holds(name, expected));
}

/** What is asked of a run is asked of a whole one, but where an error is what is asked for. */
function endsAsAsked(check: LessonCheck, { error }: Trace): boolean {
  const expected = check.error ?? (asksForEdit(check) ? 'none' : null);
  return expected === null || (error?.code ?? 'none') === expected;
}

function valueIs(trace: Trace, path: string, expected: unknown): boolean {
  const [name] = split(path);
  const isGrad = name.endsWith('.grad');
  const tensor = tensorNamed(trace, isGrad ? name.slice(0, -'.grad'.length) : name);
  return tensor !== null && isAsExpected(path, isGrad ? tensor.grad : tensor.value, expected);
}

function gradientIs(trace: Trace, path: string, expected: unknown): boolean {
  const [name] = split(path);
  const ids = new Set(trace.tensors.filter(({ names }) => names.includes(name)).map(({ id }) => id));
  const given = trace.passes.flatMap(({ roots }) => roots.filter(({ tensor }) => ids.has(tensor)));
  const last = given.at(-1);
  return last !== undefined && isAsExpected(path, last.gradient, expected);
}

/** `a.grad[0, 1]` as `a.grad` and the index. */
function split(path: string): [name: string, index: number[] | null] {
  const [name = '', index] = path.split('[');
  return [name.trim(), index === undefined ? null : index.replace(']', '').split(',').map(Number)];
}

function isAsExpected(path: string, value: Value | null, expected: unknown): boolean {
  const [, index] = split(path);
  if (value === null || expected === null) return value === expected;
  if (!value.data) return false;
  if (index) return isClose(elementAt(value, index), expected);
  const asked = flat(expected);
  return (
    String(value.shape) === String(shapeOf(expected)) &&
    value.data.every((element, k) => isClose(element, asked[k]))
  );
}

function elementAt({ data, shape }: Value, index: readonly number[]): unknown {
  if (index.length !== shape.length || index.some((k, dim) => k >= shape[dim]!)) return null;
  return data?.[index.reduce((at, k, dim) => at * shape[dim]! + k, 0)];
}

function shapeOf(numbers: unknown): number[] {
  if (!Array.isArray(numbers)) return [];
  return [numbers.length, ...(numbers.length > 0 ? shapeOf(numbers[0]) : [])];
}

function flat(numbers: unknown): unknown[] {
  return Array.isArray(numbers) ? numbers.flatMap(flat) : [numbers];
}

/** Whether an element is the number expected, as far as a reader can tell. */
export function isClose(found: unknown, expected: unknown): boolean {
  if (typeof found === 'string' || typeof expected === 'string') return found === expected;
  if (found === null || found === undefined || Array.isArray(expected)) return false;
  const [x, y] = [Number(found), Number(expected)];
  return Math.abs(x - y) <= Math.max(NEARLY_ZERO, TOLERANCE * Math.max(Math.abs(x), Math.abs(y)));
}

function isTrueOf(trace: Trace, name: string, facts: NonNullable<LessonCheck['tensor']>[string]): boolean {
  const tensor = tensorNamed(trace, name);
  if (!tensor) return false;
  const node = trace.nodes.find(({ id }) => id === tensor.node);
  const found: Record<string, unknown> = {
    ...tensor,
    grad_fn: (tensor.requires_grad && node?.grad_fn) || 'none',
  };
  return Object.entries(facts).every(
    ([fact, expected]) => expected === null || String(found[fact]) === String(expected),
  );
}

function packed(text: string): string {
  return text.replace(/\s/g, '');
}

function hasNotes(codes: readonly string[] | null, { notes }: Trace): boolean {
  const told = new Set(notes.map(({ code }) => code));
  return (codes ?? []).every((code) => (code === 'none' ? told.size === 0 : told.has(code)));
}

function pageIs({ chosen, view, playhead, answer }: LessonCheck, situation: Situation): boolean {
  const { playhead: place, ended } = situation;
  const isAt =
    playhead === null ||
    (playhead.beat === 'end'
      ? ended
      : place?.beat === playhead.beat && (playhead.of === null || place.of.includes(playhead.of)));
  return (
    isAt &&
    (!chosen || chosen.some((name) => situation.chosen.includes(name))) &&
    (view === null || situation.view === view) &&
    (!answer || answer.some((number) => isClose(situation.answer, number)))
  );
}

/** A number as readers write one: `1.2`, `-3`, `1/3`, `1e-4`, with a comma for the point; null for anything else. */
export function readNumber(text: string): number | null {
  const [, over = '', under = '1'] =
    /^([^/]+)(?:\/([^/]+))?$/.exec(text.trim().replace('−', '-').replace(',', '.')) ?? [];
  if (over.trim() === '' || under.trim() === '') return null;
  const number = Number(over) / Number(under);
  return Number.isFinite(number) ? number : null;
}

import type { Trace } from '../../api/types';
import type { Lookup } from '../trace/lookup';
import { printedBetween } from '../trace/events';
import { numel, toNumber } from '../trace/values';
import type { Act } from './acts';
import type { Chapter, Chapters } from './chapters';
import type { Timeline } from '../animation/segments';

/** The loss of a turn. `time` is where it is known, the end of its forward act; null where the turn was left out. */
export interface LossPoint {
  turn: number;
  loop: string;
  chapter: Chapter;
  value: number;
  time: number | null;
}

/** What the turns of a run minimise: the scalar that their last backward pass starts from, else the number they print. */
export interface LossCurve {
  /** Null for what is printed. */
  name: string | null;
  points: LossPoint[];
}

/** The last pass of a chapter that starts at one number. */
function lossAct(trace: Trace, { acts }: Chapter): Act | null {
  return (
    acts.findLast(({ pass }) => {
      const own = trace.passes[pass ?? -1];
      return own?.kind === 'backward' && numel(own.gradient.shape) === 1;
    }) ?? null
  );
}

function passPoint(lookup: Lookup, chapter: Chapter): { name: string; point: LossPoint } | null {
  const { trace } = lookup;
  const act = lossAct(trace, chapter);
  const root = lookup.tensor(trace.passes[act?.pass ?? -1]?.root);
  const [value] = root?.value.data ?? [];
  if (!act || !root || value === undefined || !chapter.turn) return null;
  const { number, loop } = chapter.turn;
  const forward = chapter.acts.findLast(({ kind, start }) => kind === 'forward' && start < act.start);
  const point = { turn: number, loop, chapter, value: toNumber(value), time: forward?.end ?? act.start };
  return { name: lookup.name(root.id), point };
}

/** What a chapter prints, where that is one number. */
function printedPoint({ trace }: Lookup, { segments }: Timeline, chapter: Chapter): LossPoint | null {
  const [first, last] = [segments[chapter.first], segments[chapter.until - 1]];
  if (!first || !last || !chapter.turn) return null;
  const text = printedBetween(trace, first.event, last.until).trim();
  const value = text === '' ? NaN : Number(text);
  const { number, loop } = chapter.turn;
  return Number.isFinite(value) ? { turn: number, loop, chapter, value, time: last.start } : null;
}

const numberOf = (id: string) => Number(id.slice(1));

/**
 * The turns that were left out, by the numbers of their passes: between two turns that were kept, all have as many. Of
 * several passes in a turn the last counts.
 */
function leftOutPoints(trace: Trace, { list }: Chapters): LossPoint[] {
  const rows = (trace as Partial<Trace>).left_out ?? [];
  const points = new Map<string, LossPoint>();
  let next = 0;
  list.forEach((chapter, k) => {
    if (chapter.kind !== 'gap' || !chapter.turn) return;
    const before = passesOf(trace, list[k - 1]).at(-1) ?? -1;
    const after = passesOf(trace, list[k + 1]).at(0) ?? Infinity;
    const count = chapter.upTo - chapter.turn.number + 1;
    const each = Number.isFinite(after) ? Math.max(1, (after - before - 1) / count) : 1;
    for (; next < rows.length && numberOf(rows[next]!.pass_id) < after; next += 1) {
      const { pass_id, loss } = rows[next]!;
      const turn = chapter.turn.number + Math.floor((numberOf(pass_id) - before - 1) / each);
      if (loss === null || turn < chapter.turn.number || turn > chapter.upTo) continue;
      const { loop } = chapter.turn;
      points.set(`${loop} ${turn}`, { turn, loop, chapter, value: toNumber(loss), time: null });
    }
  });
  return [...points.values()];
}

function passesOf(trace: Trace, chapter: Chapter | undefined): number[] {
  return (chapter?.acts ?? []).flatMap(({ pass }) => (pass === null ? [] : numberOf(trace.passes[pass]!.id)));
}

/** The loss of each turn, in the order of the run. */
export function lossCurve(lookup: Lookup, timeline: Timeline, chapters: Chapters): LossCurve {
  const turns = chapters.list.filter(({ kind }) => kind === 'turn');
  const found = turns.flatMap((chapter) => passPoint(lookup, chapter) ?? []);
  if (found.length === 0)
    return { name: null, points: turns.flatMap((chapter) => printedPoint(lookup, timeline, chapter) ?? []) };
  const points = [...found.map(({ point }) => point), ...leftOutPoints(lookup.trace, chapters)];
  points.sort((one, other) => one.chapter.index - other.chapter.index || one.turn - other.turn);
  return { name: found.at(-1)!.name, points };
}

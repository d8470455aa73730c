import type { Trace } from '../../api/types';
import type { Lookup } from '../trace/lookup';
import { printedBetween } from '../trace/events';
import { numel, toNumber } from '../trace/values';
import type { Act } from './acts';
import type { Chapter, Chapters } from './chapters';
import type { Timeline } from '../animation/segments';

/**
 * A loss of a turn. `time` is where it is known, the end of its forward act; null where the turn was left out. A turn whose own
 * loop trains has several: `part` says how far into the turn each is, `until` when the next begins.
 */
export interface LossPoint {
  turn: number;
  loop: string;
  chapter: Chapter;
  value: number;
  time: number | null;
  part?: number;
  until?: number;
}

/** What the turns of a run minimise: the scalar that their last backward pass starts from, else the number they print. */
export interface LossCurve {
  /** Null for what is printed. */
  name: string | null;
  points: LossPoint[];
}

/** The passes of a chapter that start at one number: the last, and those that the same line ran before it from other tensors. */
function lossActs({ passes }: Trace, { acts }: Chapter): Act[] {
  const passOf = ({ pass }: Act) => passes[pass ?? -1];
  const starts = acts.filter((act) => {
    const own = passOf(act);
    return own?.kind === 'backward' && numel(own.gradient.shape) === 1;
  });
  const line = starts.length > 0 ? passOf(starts.at(-1)!)?.span?.line : undefined;
  const alike = starts.filter((act, k) => k === starts.length - 1 || passOf(act)?.span?.line === line);
  return alike.filter(
    (act, k) => passOf(act)?.root !== passOf(alike[k + 1] ?? act)?.root || act === alike.at(-1),
  );
}

/** When the turn that ends with a pass is over: where something is computed or zeroed after it. */
function endOf(act: Act, { acts, end }: Chapter): number {
  const next = acts.find(({ kind, start }) => start >= act.end && (kind === 'forward' || kind === 'zero'));
  return next?.start ?? end;
}

function passPoints(lookup: Lookup, chapter: Chapter, isCut: boolean): { name: string; point: LossPoint }[] {
  const { trace } = lookup;
  const all = lossActs(trace, chapter);
  // Of turns that were left out only the last loss is known.
  const acts = isCut ? all.slice(-1) : all;
  return acts.flatMap((act, k) => {
    const root = lookup.tensor(trace.passes[act.pass ?? -1]?.root);
    const [value] = root?.value.data ?? [];
    if (!root || value === undefined || !chapter.turn) return [];
    const { number, loop } = chapter.turn;
    const forward = chapter.acts.findLast(({ kind, start }) => kind === 'forward' && start < act.start);
    const point = { turn: number, loop, chapter, value: toNumber(value), time: forward?.end ?? act.start };
    const within = acts.length > 1 && { part: (k + 0.5) / acts.length, until: endOf(act, chapter) };
    return [{ name: lookup.name(root.id), point: { ...point, ...within } }];
  });
}

/** The loss at hand in a turn; null where it has none. */
export function lossAt<Point extends LossPoint>(
  points: readonly Point[],
  turn: { number: number; loop: string } | null,
  now: number,
): Point | null {
  const own = points.filter(
    (each) => each.time !== null && each.turn === turn?.number && each.loop === turn.loop,
  );
  return own.find(({ until }) => until === undefined || now < until) ?? own.at(-1) ?? null;
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
  const found = turns.flatMap((chapter) =>
    passPoints(
      lookup,
      chapter,
      chapters.list.some(({ kind }) => kind === 'gap'),
    ),
  );
  if (found.length === 0)
    return { name: null, points: turns.flatMap((chapter) => printedPoint(lookup, timeline, chapter) ?? []) };
  const points = [...found.map(({ point }) => point), ...leftOutPoints(lookup.trace, chapters)];
  points.sort((one, other) => one.chapter.index - other.chapter.index || one.turn - other.turn);
  return { name: found.at(-1)!.name, points };
}

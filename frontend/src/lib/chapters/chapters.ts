import type { Trace } from '../../api/types';
import { eventsOf } from '../trace/events';
import { actsOf, type Act } from './acts';
import type { Segment, Timeline } from '../animation/segments';
import { segmentAt } from '../animation/timeline';
import type { Turn } from '../trace/places';
import { trainingTurns } from './turns';

/** `gap` stands for turns of which no pass was kept; `setup`, `between` and `after` for what runs around the loops. */
export type ChapterKind = 'setup' | 'turn' | 'gap' | 'between' | 'after';

/** A part of the run that the timeline shows open or closed. */
export interface Chapter {
  kind: ChapterKind;
  index: number;
  /** The turn, of a gap its first; null outside of loops. */
  turn: Turn | null;
  /** The number of the last turn, of a gap. */
  upTo: number;
  /** The segments from `first` up to `until`, which is not counted: a gap may have none. */
  first: number;
  until: number;
  start: number;
  end: number;
  acts: Act[];
}

/** The chapters of a run in their order; none where no loop trains. */
export interface Chapters {
  list: Chapter[];
  /** The turn of each segment. */
  turns: (Turn | null)[];
  /** The chapter of each segment, by index. */
  owners: number[];
}

/** The turn of each segment. A leaf from before the loop that is first needed in it belongs to the setup. */
function turnsOf(trace: Trace, { segments }: Timeline): (Turn | null)[] {
  const places = trainingTurns(trace);
  const events = eventsOf(trace);
  const origins = new Map(trace.tensors.map(({ id, place }) => [id, place]));
  let begun = false;
  return segments.map(({ kind, node, tensor, event }) => {
    const turn = places.at(events[event]?.place ?? null);
    const isLeaf = kind === 'forward' && node === null;
    if (!begun && isLeaf && places.at(origins.get(tensor ?? '') ?? null) === null) return null;
    begun ||= turn !== null;
    return turn;
  });
}

type Draft = Pick<Chapter, 'kind' | 'turn' | 'upTo' | 'first' | 'until'>;

/** Runs of segments of one turn. */
function runsOf(segments: readonly Segment[], turns: readonly (Turn | null)[]): Draft[] {
  const runs: Draft[] = [];
  segments.forEach(({ index }, k) => {
    const turn = turns[k] ?? null;
    const open = runs.at(-1);
    if (open && open.turn?.place === turn?.place) open.until = index + 1;
    else
      runs.push({
        kind: turn ? 'turn' : 'between',
        turn,
        upTo: turn?.number ?? 0,
        first: index,
        until: index + 1,
      });
  });
  return runs;
}

/** Puts gaps between the runs: for turns of which no pass was written, and for those that left no segment at all. */
class GapFiller {
  readonly drafts: Draft[] = [];

  private gap(turn: Turn, from: number, upTo: number, first: number, until = first): void {
    if (upTo < from) return;
    const last = this.drafts.at(-1);
    if (last?.kind === 'gap' && last.turn?.loop === turn.loop) Object.assign(last, { upTo, until });
    else
      this.drafts.push({ kind: 'gap', turn: { ...turn, number: from, variable: null }, upTo, first, until });
  }

  /** The number of the last turn so far of a loop. */
  private reached(loop: string): number {
    const last = this.drafts.at(-1);
    return last?.turn?.loop === loop ? last.upTo : 0;
  }

  add(run: Draft, isWhole: boolean, isLast: boolean): void {
    const { turn, first, until } = run;
    if (turn) this.gap(turn, this.reached(turn.loop) + 1, turn.number - 1, first);
    if (!turn || isWhole) this.drafts.push(run);
    else this.gap(turn, turn.number, turn.number, first, until);
    if (turn && isLast) this.gap(turn, turn.number + 1, turn.of, until);
  }
}

function withGaps(runs: readonly Draft[], isWhole: (run: Draft) => boolean): Draft[] {
  const filler = new GapFiller();
  runs.forEach((run, k) => filler.add(run, isWhole(run), runs[k + 1]?.turn?.loop !== run.turn?.loop));
  return filler.drafts;
}

function kindOf({ kind }: Draft, k: number, all: readonly Draft[]): ChapterKind {
  if (kind !== 'between') return kind;
  return k === 0 ? 'setup' : k === all.length - 1 ? 'after' : 'between';
}

/** Cuts a run into chapters, one for each turn of its training loops. */
export function buildChapters(trace: Trace, timeline: Timeline): Chapters {
  const { segments, duration } = timeline;
  const turns = turnsOf(trace, timeline);
  if (turns.every((turn) => turn === null)) return { list: [], turns, owners: [] };
  const isCut = ((trace as Partial<Trace>).budget?.turns_left_out ?? 0) > 0 && timeline.passes.length > 0;
  const isWhole = ({ first, until }: Draft) =>
    !isCut || segments.slice(first, until).some(({ pass }) => pass !== null);
  const startOf = (index: number) => segments[index]?.start ?? duration;
  const list = withGaps(runsOf(segments, turns), isWhole).map((draft, index, all) => ({
    ...draft,
    kind: kindOf(draft, index, all),
    index,
    start: startOf(draft.first),
    end: startOf(draft.until),
    acts: actsOf(segments.slice(draft.first, draft.until)),
  }));
  const owners = list.flatMap(({ index, first, until }) => Array<number>(until - first).fill(index));
  return { list, turns, owners };
}

/** The chapter at a time; null where there are none. At a border the later one counts. */
export function chapterAt(chapters: Chapters, timeline: Timeline, time: number): Chapter | null {
  const index = segmentAt(timeline, time)?.segment.index ?? -1;
  return chapters.list[chapters.owners[index] ?? -1] ?? null;
}

/** The turn of a training loop at a time; null outside. */
export function turnAt(chapters: Chapters, timeline: Timeline, time: number): Turn | null {
  return chapters.turns[segmentAt(timeline, time)?.segment.index ?? -1] ?? null;
}

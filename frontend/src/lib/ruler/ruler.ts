import { groupBy } from '../group_by';
import { isBeside, type Segment, type Timeline } from '../animation/segments';
import type { Turn } from '../trace/places';

/** What a stretch of the run does: functions, one backward pass, or changes of leaves between them. */
export type StretchKind = 'forward' | 'backward' | 'update';

/** A stretch of the run on the ruler, in pixels. */
export interface Stretch {
  kind: StretchKind;
  /** The index of the pass; null where it is none. */
  pass: number | null;
  start: number;
  end: number;
  left: number;
  width: number;
  firstStop: number;
  lastStop: number;
  complete: boolean;
  bars: Bar[];
}

/** One bar: a segment, a turn of a loop, or a whole step where segments would be too thin to see, or all of a stretch. */
export interface Bar {
  left: number;
  width: number;
  start: number;
  end: number;
  segments: Segment[];
  /** Of a bar that is a turn of a loop. */
  turn: Turn | null;
}

export interface Ruler {
  stretches: Stretch[];
  /** Where the hatched rest begins that stands for what did not run; null where all did. */
  failure: { left: number; width: number } | null;
}

const BETWEEN_STRETCHES = 16;
/** Of a long run, the part of the ruler that is left between all stretches together. */
const MOST_BETWEEN = 0.25;
/** Between bars: wide ones, and those that are thin themselves. */
const BETWEEN_BARS = { wide: 3, thin: 1.5, limit: 16 };
/** Thinner bars than this are merged. */
const THINNEST = 7;
const FAILURE_PART = 0.35;

type Plain = Omit<Stretch, 'left' | 'width' | 'bars'> & { segments: Segment[] };

/** What a segment belongs to; prints, hooks and settings to what came before them. */
function kindOf(segment: Segment, before: Plain | undefined): StretchKind {
  if (segment.pass !== null) return 'backward';
  if (segment.kind === 'forward') return 'forward';
  return isBeside(segment) ? (before?.kind ?? 'forward') : 'update';
}

function isPartOf(segment: Segment, kind: StretchKind, open: Plain | undefined): open is Plain {
  return open?.kind === kind && (segment.pass === null || open.pass === segment.pass);
}

function plainStretches({ segments, passes }: Timeline): Plain[] {
  const stretches: Plain[] = [];
  const complete = new Map(passes.map((each) => [each.pass, each.complete]));
  for (const segment of segments) {
    const { pass, start, end, stop } = segment;
    const open = stretches.at(-1);
    const kind = kindOf(segment, open);
    if (isPartOf(segment, kind, open)) {
      open.segments.push(segment);
      Object.assign(open, { end, lastStop: stop });
    } else
      stretches.push({
        kind,
        pass,
        start,
        end,
        firstStop: stop,
        lastStop: stop,
        complete: complete.get(pass ?? -1) ?? true,
        segments: [segment],
      });
  }
  return stretches;
}

type TurnOf = (segment: Segment) => Turn | null;

/** Segments in a row that belong to one turn of a loop, or to none. */
function runsOf(segments: readonly Segment[], turnOf: TurnOf): { turn: Turn | null; segments: Segment[] }[] {
  const runs: { turn: Turn | null; segments: Segment[] }[] = [];
  for (const segment of segments) {
    const turn = turnOf(segment);
    const open = runs.at(-1);
    if (open && open.turn?.place === turn?.place) open.segments.push(segment);
    else runs.push({ turn, segments: [segment] });
  }
  return runs;
}

function barsOf(stretch: Plain, left: number, width: number, turnOf: TurnOf): Bar[] {
  const { segments } = stretch;
  const scale = width / (stretch.end - stretch.start);
  const bar = (own: Segment[], turn: Turn | null = null) => barOf(own, stretch, left, scale, turn);
  if (width / segments.length >= THINNEST) return segments.map((each) => bar([each]));
  const runs = runsOf(segments, turnOf);
  if (runs.length > 2 && width / runs.length >= THINNEST)
    return runs.map((run) => bar(run.segments, run.turn));
  const steps = [...groupBy(segments, ({ stop }) => stop).values()];
  return width / steps.length >= THINNEST ? steps.map((step) => bar(step)) : [bar(segments)];
}

function barOf(segments: Segment[], stretch: Plain, left: number, scale: number, turn: Turn | null): Bar {
  const start = segments[0]!.start;
  const end = segments.at(-1)!.end;
  const pitch = (end - start) * scale;
  const between = pitch < BETWEEN_BARS.limit ? BETWEEN_BARS.thin : BETWEEN_BARS.wide;
  const gap = end === stretch.end ? 0 : between;
  return {
    left: left + (start - stretch.start) * scale,
    width: Math.max(1, pitch - gap),
    start,
    end,
    segments,
    turn,
  };
}

/** Lays a timeline out on a ruler of `width` pixels; every length is a duration. Turns of loops are bars of their own. */
export function buildRuler(
  timeline: Timeline,
  width: number,
  failed: boolean,
  turnOf: TurnOf = () => null,
): Ruler {
  const plain = plainStretches(timeline);
  const room = failed ? width * (1 - FAILURE_PART) : width;
  const gaps = plain.length - (failed ? 0 : 1);
  const gap = Math.min(BETWEEN_STRETCHES, (MOST_BETWEEN * room) / Math.max(1, gaps));
  const usable = Math.max(1, room - gap * gaps);
  let left = 0;
  const stretches = plain.map(({ segments, ...stretch }) => {
    const own = (usable * (stretch.end - stretch.start)) / Math.max(1, timeline.duration);
    const placed = {
      ...stretch,
      left,
      width: own,
      bars: barsOf({ ...stretch, segments }, left, own, turnOf),
    };
    left += own + gap;
    return placed;
  });
  return { stretches, failure: failed ? { left, width: Math.max(0, width - left) } : null };
}

/** Whether a bar is of one function alone. */
export function isOneStep({ segments }: Bar): boolean {
  return segments.every(({ stop }) => stop === segments[0]!.stop);
}

/** The bars of a pass joined into one for each of its functions. */
export function stepBars(bars: readonly Bar[]): Bar[] {
  return [...groupBy(bars, ({ segments }) => segments[0]?.stop ?? 0).values()].map((own) => {
    const [first, last] = [own[0]!, own.at(-1)!];
    return {
      ...first,
      width: last.left + last.width - first.left,
      end: last.end,
      segments: own.flatMap(({ segments }) => segments),
    };
  });
}

/** Where a time stands on the ruler. */
export function toX(ruler: Ruler, time: number): number {
  const stretch = ruler.stretches.find(({ end }) => time <= end) ?? ruler.stretches.at(-1);
  if (!stretch) return 0;
  const part = (time - stretch.start) / (stretch.end - stretch.start);
  return stretch.left + Math.max(0, Math.min(1, part)) * stretch.width;
}

/** Which time stands at a place on the ruler. */
export function toTime(ruler: Ruler, x: number): number {
  const stretch = ruler.stretches.findLast(({ left }) => x >= left) ?? ruler.stretches[0];
  if (!stretch) return 0;
  const part = Math.max(0, Math.min(1, (x - stretch.left) / stretch.width));
  return stretch.start + part * (stretch.end - stretch.start);
}

import { groupBy } from '../group_by';
import type { Segment, Timeline } from './timeline';

/** The forward pass or one backward pass on the ruler, in pixels. */
export interface Stretch {
  /** Null for the forward pass; the index of the pass otherwise. */
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

/** One bar: a segment, or a whole step where segments would be too thin to see, or all of a stretch. */
export interface Bar {
  left: number;
  width: number;
  start: number;
  end: number;
  segments: Segment[];
}

export interface Ruler {
  stretches: Stretch[];
  /** Where the hatched rest begins that stands for what did not run; null where all did. */
  failure: { left: number; width: number } | null;
}

const BETWEEN_STRETCHES = 16;
/** Between bars: wide ones, and those that are thin themselves. */
const BETWEEN_BARS = { wide: 3, thin: 1.5, limit: 16 };
/** Thinner bars than this are merged. */
const THINNEST = 7;
const FAILURE_PART = 0.35;

type Plain = Omit<Stretch, 'left' | 'width' | 'bars'>;

function plainStretches({ segments, passes, forwardEnd }: Timeline): Plain[] {
  const forward = segments.filter(({ pass }) => pass === null);
  const stops = forward.map(({ stop }) => stop);
  const first: Plain = {
    pass: null,
    start: 0,
    end: forwardEnd,
    firstStop: stops[0] ?? 0,
    lastStop: stops.at(-1) ?? 0,
    complete: true,
  };
  return [first, ...passes.map(({ ...pass }) => ({ ...pass }))].filter(({ start, end }) => end > start);
}

function barsOf(stretch: Plain, segments: Segment[], left: number, width: number): Bar[] {
  const scale = width / (stretch.end - stretch.start);
  for (const key of [(s: Segment) => s.index, (s: Segment) => s.stop]) {
    const groups = [...groupBy(segments, key).values()];
    if (width / groups.length >= THINNEST) return groups.map((group) => barOf(group, stretch, left, scale));
  }
  return [barOf(segments, stretch, left, scale)];
}

function barOf(segments: Segment[], stretch: Plain, left: number, scale: number): Bar {
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
  };
}

/** Lays a timeline out on a ruler of `width` pixels; every length is a duration. */
export function buildRuler(timeline: Timeline, width: number, failed: boolean): Ruler {
  const plain = plainStretches(timeline);
  const room = failed ? width * (1 - FAILURE_PART) : width;
  const usable = Math.max(1, room - BETWEEN_STRETCHES * (plain.length - (failed ? 0 : 1)));
  let left = 0;
  const stretches = plain.map((stretch) => {
    const own = (usable * (stretch.end - stretch.start)) / Math.max(1, timeline.duration);
    const inside = timeline.segments.filter(({ pass }) => pass === stretch.pass);
    const placed = { ...stretch, left, width: own, bars: barsOf(stretch, inside, left, own) };
    left += own + BETWEEN_STRETCHES;
    return placed;
  });
  return { stretches, failure: failed ? { left, width: Math.max(0, width - left) } : null };
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

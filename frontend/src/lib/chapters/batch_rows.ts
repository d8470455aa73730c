import type { Pass, Trace } from '../../api/types';
import type { Segment, Timeline } from '../animation/segments';

/** One row of a batch of which PyTorch runs all rows in one pass. */
export interface BatchRow {
  /** From 1, of so many. */
  number: number;
  of: number;
  /** The row of the batch around it, and so on. */
  outer: { number: number; of: number }[];
  /** The segments in which the rows beside it are at the same beat; null where there are none. */
  previous: number | null;
  next: number | null;
}

/** Does a run have passes of a batch? */
export function hasBatches({ passes }: Trace): boolean {
  return passes.some(({ rows }) => rows.length > 0);
}

/** The row that a pass is at hand for; null where the pass is one of its own. */
export function rowAt(trace: Trace, timeline: Timeline, segment: Segment | null): BatchRow | null {
  const k = segment?.pass ?? null;
  const rows = (k === null ? undefined : trace.passes[k])?.rows ?? [];
  const own = rows.at(-1);
  if (!segment || k === null || !own) return null;
  const beside = (by: -1 | 1) => {
    const other = trace.passes.findIndex((pass) => isRow(pass, own.batch, own.index + by));
    return other < 0 ? null : sameBeat(timeline, segment, other);
  };
  return {
    number: own.index + 1,
    of: own.count,
    outer: rows
      .slice(0, -1)
      .toReversed()
      .map(({ index, count }) => ({ number: index + 1, of: count })),
    previous: beside(-1),
    next: beside(1),
  };
}

function isRow({ rows }: Pass, batch: number, index: number): boolean {
  const own = rows.at(-1);
  return own !== undefined && own.batch === batch && own.index === index;
}

/** The segment of another pass that is as far in it as this one is in its own. */
function sameBeat({ segments }: Timeline, segment: Segment, pass: number): number | null {
  const own = segments.filter((each) => each.pass === segment.pass);
  const other = segments.filter((each) => each.pass === pass);
  const at = Math.min(own.indexOf(segment), other.length - 1);
  return other[at]?.index ?? null;
}

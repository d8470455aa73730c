import type { Trace } from '../../api/types';
import type { Timeline } from '../animation/segments';
import { segmentAt } from '../animation/timeline';
import type { SegmentRange, Turns } from '../graph/turns';
import type { Turn } from '../trace/places';
import { sameBeat, stretchOf } from './same_beat';

/**
 * The time at which the turn with a number does what its loop does at `time`, in the same pass where it can be; null
 * where there is no such turn on the timeline.
 */
export function timeInTurn(
  trace: Trace,
  timeline: Timeline,
  turns: Turns,
  { loop, number }: Pick<Turn, 'loop' | 'number'>,
  time: number,
): number | null {
  const here = segmentAt(timeline, time);
  if (!here) return null;
  const { pass, index } = here.segment;
  const isAlike = ({ first, until }: SegmentRange) =>
    timeline.segments.slice(first, until).some((each) => each.pass === pass);
  const way = turns.way(loop, number, index, isAlike);
  if (!way) return null;
  const [own, other] = [way.own, way.other].map(({ first, until }) => stretchOf(timeline, first, until));
  return sameBeat(trace, timeline, own!, other!, here);
}

import type { Trace } from '../../api/types';
import type { Timeline } from './segments';
import { restTime } from './timeline';

/** The time at a position: the number of a segment, and how far into it. */
export function timeAt(timeline: Timeline, position: number): number {
  const segment = timeline.segments[Math.floor(position)];
  if (!segment) return timeline.duration;
  return segment.start + (position % 1) * (segment.end - segment.start);
}

/** Where a new run begins: the first backward step, with its last grad_input in flight; at the end where the run failed. */
export function opening(timeline: Timeline, trace: Trace): number {
  if (trace.error) return timeline.duration;
  const first = timeline.segments.filter(({ pass, step }) => pass === 0 && step === 0);
  const shown = first.findLast(({ kind }) => kind === 'send') ?? first.at(-1);
  return shown ? restTime(shown) : timeline.duration;
}

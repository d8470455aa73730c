import type { Trace } from '../../../api/types';
import type { Timeline } from '../segments';
import { restTime } from '../timeline';

/** The time at a position: the number of a segment, and how far into it. */
export function timeAt(timeline: Timeline, at: number | Moment, trace: Trace): number {
  const position = typeof at === 'number' ? at : at(timeline, trace);
  const segment = timeline.segments[Math.floor(position)];
  if (!segment) return timeline.duration;
  return segment.start + (position % 1) * (segment.end - segment.start);
}

/** A moment that is known when the run is: the number of a segment. */
export type Moment = (timeline: Timeline, trace: Trace) => number;

/** In the last pass, where the gradient of the tensor of this name has reached the function that made it; else where a run opens. */
export function arrivalAt(name: string): Moment {
  return ({ segments }, trace) => {
    const made = trace.tensors.findLast(({ names, node }) => node !== null && names.includes(name))?.node;
    const here = segments.findLast(({ kind, node }) => kind === 'arrive' && node === made);
    return here && made ? here.index + 0.99 : segments.findIndex(({ kind }) => kind === 'arrive');
  };
}

/** Where a new run begins: the first backward step, with its last grad_input in flight; at the end where the run failed. */
export function opening(timeline: Timeline, trace: Trace): number {
  if (trace.error) return timeline.duration;
  const first = timeline.segments.filter(({ pass, step }) => pass === 0 && step === 0);
  const shown = first.findLast(({ kind }) => kind === 'send') ?? first.at(-1);
  return shown ? restTime(shown) : timeline.duration;
}

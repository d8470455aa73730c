import type { Trace } from '../../api/types';
import { eventsOf } from '../trace/events';
import type { Timeline } from './segments';

/**
 * The place of each segment: that of the function or the tensor it is about, else that of its event. Null where a pass
 * begins or ends, which is nowhere in particular.
 */
export function courseOf(trace: Trace, { segments }: Timeline): (string | null)[] {
  const places = new Map([...trace.tensors, ...trace.nodes].map(({ id, place }) => [id, place]));
  const events = eventsOf(trace);
  return segments.map(({ node, tensor, event, kind, pass, step }) => {
    const told = events[event]?.place ?? null;
    if (pass !== null) return (step === null ? null : places.get(node ?? '')) ?? told;
    return kind === 'forward' ? (places.get(node ?? tensor ?? '') ?? null) : told;
  });
}

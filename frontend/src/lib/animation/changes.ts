import type { EventOf, TensorRecord, Trace, TraceEvent } from '../../api/types';
import { eventsOf, valueAt, versionsOf } from '../trace/events';
import { Lookup } from '../trace/lookup';
import { zerosLike } from '../trace/values';
import { NO_BUCKET, RECORDED, restingBeads, type Bucket, type Content } from './element_states';

/** What an event changes about a tensor: its value, or its `.grad`. */
export interface Change {
  tensor: string;
  event: number;
  state: { content: Content } | { bucket: Bucket };
}

/** All values that these tensors have. Versions without an event come first. */
function valuesOf(tensors: readonly TensorRecord[]): Change[] {
  return tensors.flatMap((tensor) =>
    versionsOf(tensor).map(({ version, value, event }) => ({
      tensor: tensor.id,
      event: event ?? -1,
      state: { content: { ...RECORDED, value, version } },
    })),
  );
}

/** The `.grad` of a tensor after it was zeroed. */
function zeroedBucket(tensor: TensorRecord, to: 'none' | 'zeros'): Bucket {
  return to === 'none' ? NO_BUCKET : { ...NO_BUCKET, ...restingBeads(zerosLike(tensor)), state: 'full' };
}

/** The `.grad` after a write into it: a version of the tensor that is the gradient. */
function writtenBucket({ grad, after }: EventOf<'write'>, lookup: Lookup): Bucket | null {
  const holder = lookup.tensor(grad);
  const value = holder && valueAt(holder, after);
  return value ? { ...NO_BUCKET, ...restingBeads(value), state: 'full', summands: 1 } : null;
}

function bucketsAfter(event: TraceEvent, lookup: Lookup): [string, Bucket][] {
  if (event.kind === 'zero')
    return event.tensors.flatMap((id) => {
      const tensor = lookup.tensor(id);
      return tensor ? [[id, zeroedBucket(tensor, event.to)] as [string, Bucket]] : [];
    });
  if (event.kind !== 'write' || event.of !== 'grad') return [];
  const bucket = writtenBucket(event, lookup);
  return bucket ? [[event.tensor, bucket]] : [];
}

/** What events change about these tensors, in the program's order. */
export function changesOf(trace: Trace, tensors: readonly TensorRecord[]): Change[] {
  const lookup = new Lookup(trace);
  const shown = new Set(tensors.map(({ id }) => id));
  const buckets = eventsOf(trace).flatMap((each, event) =>
    bucketsAfter(each, lookup)
      .filter(([tensor]) => shown.has(tensor))
      .map(([tensor, bucket]): Change => ({ tensor, event, state: { bucket } })),
  );
  return [...valuesOf(tensors), ...buckets].toSorted((x, y) => x.event - y.event);
}

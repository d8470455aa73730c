import type { EventOf, TensorRecord, TraceEvent, Value } from '../../api/types';
import { changeDuring, changedBy } from '../trace/events';
import type { Lookup } from '../trace/lookup';
import { numel, toElement, toNumber } from '../trace/values';
import { gradBefore } from './grad_at';
import { updateOf, type Buffer } from './update';

/**
 * The beats of an update: every `.grad` is read, what the optimizer keeps is renewed, what comes of both flows, and the
 * values are written.
 */
export type UpdateBeat = 'read' | 'state' | 'flow' | 'write';

/** What an update does to one leaf. */
export interface LeafUpdate {
  tensor: TensorRecord;
  /** The `.grad` that is read. */
  grad: Value | null;
  before: Value;
  after: Value;
  /** What is added to the value; null where not all of it was sent. */
  flow: Value | null;
  /** The arrays that the optimizer keeps for this leaf. */
  buffers: Buffer[];
  /** The rate, where the step is the rate times `.grad` and nothing else. */
  rate: string | null;
}

const PLAIN: readonly UpdateBeat[] = ['read', 'flow', 'write'];
const WITH_STATE: readonly UpdateBeat[] = ['read', 'state', 'flow', 'write'];
const BY_HAND: readonly UpdateBeat[] = ['flow', 'write'];

/** Does a write take a leaf's `.grad` into its value behind autograd's back, as `w -= 0.1 * w.grad` does? */
function isByHand(lookup: Lookup, { of, by, tensor, expression }: EventOf<'write'>): boolean {
  const leaf = lookup.tensor(tensor);
  const isUnseen = of === 'value' && by !== 'in_place';
  return isUnseen && !!leaf?.is_leaf && leaf.requires_grad && /\bgrad\b/.test(expression);
}

function flows(lookup: Lookup, tensor: string, at: number): boolean {
  const leaf = lookup.tensor(tensor);
  return !!leaf && changeDuring(leaf, at, at + 1) !== null && gradBefore(lookup, tensor, at) !== null;
}

/** The arrays that an optimizer keeps: what counts its steps is none. */
function isArray({ name }: Buffer): boolean {
  return name !== 'step';
}

/** The beats in which an event is played; none where no `.grad` flows into a value. */
export function beatsOf(lookup: Lookup, event: TraceEvent, at: number): readonly UpdateBeat[] {
  if (event.kind === 'write')
    return isByHand(lookup, event) && flows(lookup, event.tensor, at) ? BY_HAND : [];
  if (event.kind !== 'step') return [];
  const first = event.tensors.find((tensor) => flows(lookup, tensor, at));
  if (first === undefined) return [];
  return updateOf(lookup, event, at, first)?.buffers.some(isArray) ? WITH_STATE : PLAIN;
}

/** `after - before`, element by element. */
function difference(before: Value, after: Value): Value | null {
  if (!before.data || !after.data || before.data.length !== numel(after.shape)) return null;
  const old = before.data;
  return { ...after, data: after.data.map((x, k) => toElement(toNumber(x) - toNumber(old[k]!))) };
}

/** What an event that is played in beats does to each leaf, in the order of the event. */
export function leafUpdates(lookup: Lookup, event: TraceEvent, at: number): LeafUpdate[] {
  return changedBy(event).flatMap((id): LeafUpdate[] => {
    const tensor = lookup.tensor(id);
    if (!tensor) return [];
    const told = event.kind === 'step' ? updateOf(lookup, event, at, id) : null;
    const change = changeDuring(tensor, at, at + 1);
    if (!change) return [];
    const [before, after] = change;
    return [
      {
        tensor,
        grad: told ? told.grad : gradBefore(lookup, id, at),
        before,
        after,
        flow: difference(before, after),
        buffers: told?.buffers.filter(isArray) ?? [],
        rate: told?.plainRate ?? null,
      },
    ];
  });
}

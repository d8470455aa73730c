import type { Value } from '../../api/types';
import { eventsOf, valueAt } from './events';
import type { Lookup } from './lookup';
import { numel } from './values';

/** The `.grad` of a leaf before an event; null where it is None or was not told. */
export function gradBefore(lookup: Lookup, tensor: string, event: number): Value | null {
  const events = eventsOf(lookup.trace);
  for (let k = event - 1; k >= 0; k -= 1) {
    const each = events[k]!;
    if (each.kind === 'zero' && each.tensors.includes(tensor))
      return each.to === 'none' ? null : zeros(lookup, tensor);
    if (each.kind === 'write' && each.of === 'grad' && each.tensor === tensor) {
      const holder = lookup.tensor(each.grad);
      return holder && valueAt(holder, each.after);
    }
    if (each.kind !== 'pass') continue;
    const pass = lookup.trace.passes.find(({ id }) => id === each.pass);
    const sum = pass?.accumulations.find((accumulation) => accumulation.tensor === tensor);
    if (sum) return sum.after;
  }
  return null;
}

function zeros(lookup: Lookup, id: string): Value | null {
  const tensor = lookup.tensor(id);
  if (!tensor) return null;
  const { shape, dtype } = tensor;
  return { shape, dtype, data: new Array<number>(numel(shape)).fill(0), summary: null };
}

/** The event that empties the `.grad` of a leaf after another event; null where none does. */
export function nextZeroing(lookup: Lookup, tensor: string, event: number) {
  const events = eventsOf(lookup.trace).slice(event + 1);
  const found = events.find((each) => each.kind === 'zero' && each.tensors.includes(tensor));
  return found?.kind === 'zero' ? found : null;
}

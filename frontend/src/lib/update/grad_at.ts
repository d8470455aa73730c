import type { Value } from '../../api/types';
import { eventsOf, valueAt } from '../trace/events';
import type { Lookup } from '../trace/lookup';
import { zerosLike } from '../trace/values';

/** The `.grad` of a leaf before an event; null where it is None or was not told. */
export function gradBefore(lookup: Lookup, tensor: string, event: number): Value | null {
  const events = eventsOf(lookup.trace);
  for (let k = event - 1; k >= 0; k -= 1) {
    const each = events[k]!;
    if (each.kind === 'zero' && each.tensors.includes(tensor)) {
      const leaf = lookup.tensor(tensor);
      return each.to === 'none' || !leaf ? null : zerosLike(leaf);
    }
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

/** The event that empties the `.grad` of a leaf after another event; null where none does. */
export function nextZeroing(lookup: Lookup, tensor: string, event: number) {
  const events = eventsOf(lookup.trace).slice(event + 1);
  const found = events.find((each) => each.kind === 'zero' && each.tensors.includes(tensor));
  return found?.kind === 'zero' ? found : null;
}

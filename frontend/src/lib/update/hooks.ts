import type { Pass, Step, Value } from '../../api/types';
import { eventsOf } from '../trace/events';
import type { Lookup } from '../trace/lookup';
import { toNumber } from '../trace/values';

/** Does the program have a hook of this tensor run? */
function hasHook(lookup: Lookup, tensor: string): boolean {
  return eventsOf(lookup.trace).some((event) => event.kind === 'hook' && event.tensor === tensor);
}

function plus(sum: Value | null, value: Value): Value | null {
  if (!value.data || (sum && !sum.data)) return null;
  if (!sum) return value;
  return { ...sum, data: sum.data!.map((x, k) => toNumber(x) + toNumber(value.data![k]!)) };
}

function isSame(one: Value, other: Value): boolean {
  return one.data!.every((x, k) => {
    const [a, b] = [toNumber(x), toNumber(other.data![k]!)];
    return Object.is(a, b) || Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(b));
  });
}

/** What was sent to the output of a step, and what its hooks made of it; null where no hook changes it. */
export function hookedGradient(
  lookup: Lookup,
  pass: Pass,
  step: Step,
  tensor = lookup.node(step.node)?.outputs[0],
): { tensor: string; before: Value; after: Value } | null {
  const after = step.grad_outputs[lookup.node(step.node)?.outputs.indexOf(tensor ?? '') ?? 0];
  if (!tensor || !after?.data || !hasHook(lookup, tensor)) return null;
  const seeds = pass.roots.filter((root) => root.tensor === tensor).map(({ gradient }) => gradient);
  const sent = pass.steps.flatMap((each) =>
    each.grad_inputs.filter(({ edge }) => lookup.edge(edge)?.tensor === tensor).map(({ value }) => value),
  );
  let before: Value | null = null;
  for (const value of [...seeds, ...sent]) {
    before = plus(before, value);
    if (!before) return null;
  }
  return before?.data && before.data.length === after.data.length && !isSame(before, after)
    ? { tensor, before, after }
    : null;
}

import type { EventOf, Pass, Step, Value } from '../../api/types';
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

/** What a pass sends to a tensor, added up; null where not all of it is told. */
function sentTo(lookup: Lookup, pass: Pass, tensor: string): Value | null {
  const seeds = pass.roots.filter((root) => root.tensor === tensor).map(({ gradient }) => gradient);
  const sent = pass.steps.flatMap((each) =>
    each.grad_inputs.filter(({ edge }) => lookup.edge(edge)?.tensor === tensor).map(({ value }) => value),
  );
  let sum: Value | null = null;
  for (const value of [...seeds, ...sent]) {
    sum = plus(sum, value);
    if (!sum) return null;
  }
  return sum;
}

/** A gradient before and after its hooks. */
export interface Hooked {
  tensor: string;
  before: Value;
  after: Value;
}

function changed(tensor: string, before: Value | null, after: Value | null | undefined): Hooked | null {
  if (!before?.data || !after?.data || before.data.length !== after.data.length) return null;
  return isSame(before, after) ? null : { tensor, before, after };
}

/** What was sent to the output of a step, and what its hooks made of it; null where no hook changes it. */
export function hookedGradient(
  lookup: Lookup,
  pass: Pass,
  step: Step,
  tensor = lookup.node(step.node)?.outputs[0],
): Hooked | null {
  const after = step.grad_outputs[lookup.node(step.node)?.outputs.indexOf(tensor ?? '') ?? 0];
  if (!tensor || !after?.data || !hasHook(lookup, tensor)) return null;
  return changed(tensor, sentTo(lookup, pass, tensor), after);
}

/** What the hooks of the tensor that an event tells of make of its gradient; null where they leave it as it is. */
export function changeByHook(lookup: Lookup, { tensor, during }: EventOf<'hook'>): Hooked | null {
  const pass = lookup.trace.passes.find(({ id }) => id === during?.pass_id);
  if (!pass || !tensor) return null;
  const added = pass.accumulations.find((each) => each.tensor === tensor);
  if (added) return changed(tensor, sentTo(lookup, pass, tensor), added.incoming);
  const step = pass.steps.find((each) => lookup.node(each.node)?.outputs.includes(tensor));
  return step ? hookedGradient(lookup, pass, step, tensor) : null;
}

/** The gradients that hooks change in a pass, each once, with the event in which the first of its hooks runs. */
export function hookedIn(lookup: Lookup, pass: Pass): (Hooked & { event: number })[] {
  const found = new Map<string, Hooked & { event: number }>();
  eventsOf(lookup.trace).forEach((each, event) => {
    if (each.kind !== 'hook' || !each.tensor || each.during?.pass_id !== pass.id) return;
    const change = found.has(each.tensor) ? null : changeByHook(lookup, each);
    if (change) found.set(each.tensor, { ...change, event });
  });
  return [...found.values()];
}

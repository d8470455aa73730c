import type { NodeRecord } from '../../api/types';
import { layerOf } from '../rules/layer';
import type { Lookup } from '../trace/lookup';
import { opName } from '../trace/names';
import { moduleParts, placesOf } from '../trace/places';
import { textOf } from '../trace/spans';
import { eventsOf } from '../trace/events';
import type { Act } from './acts';
import type { Segment } from '../animation/segments';

/** What a reader counts within an act: a function with the view that prepares its operand, a zeroing, an update. */
export interface ActStep {
  name: string;
  first: number;
  until: number;
  start: number;
  end: number;
}

/** A name of an operation that is short where its sign is a word. */
function shortOp({ op, symbol }: NodeRecord): string {
  const name = opName(op);
  return /^[a-z][a-z ]*$/.test(symbol) && symbol.length < name.length ? symbol : name;
}

/** The index of the module whose function it is, `2`; empty for what runs outside of modules, or in a call within one. */
function moduleIndex({ trace }: Lookup, { place }: NodeRecord): string {
  const own = placesOf(trace).around(place).at(-1);
  return own?.kind === 'module' ? moduleParts(own.title).name : '';
}

function nameOf(lookup: Lookup, { node, tensor }: Segment): string {
  const own = lookup.node(node);
  if (!own) return tensor ? lookup.name(tensor) : '';
  if (own.kind === 'copy_slices') return lookup.functionName(node);
  const index = moduleIndex(lookup, own);
  const op = shortOp(own);
  return index && index !== op ? `${index} ${op}` : op;
}

/** What only turns a weight round belongs to the step of its layer. */
function joins(lookup: Lookup, before: Segment, segment: Segment): boolean {
  if (before.stop === segment.stop) return true;
  return segment.pass !== null && before.node !== null && layerOf(lookup, segment.node)?.id === before.node;
}

/** The steps of an act. */
export function stepsOf(lookup: Lookup, segments: readonly Segment[], act: Act): ActStep[] {
  const steps: ActStep[] = [];
  for (const segment of segments.slice(act.first, act.until)) {
    const before = segments[segment.index - 1];
    const open = steps.at(-1);
    if (open && before && joins(lookup, before, segment))
      Object.assign(open, { until: segment.index + 1, end: segment.end });
    else {
      const { index, start, end } = segment;
      steps.push({ name: nameOf(lookup, segment), first: index, until: index + 1, start, end });
    }
  }
  return steps;
}

/** The events of an act, each once, in their order. */
function eventsIn(segments: readonly Segment[], { kind, first, until }: Act): number[] {
  const own = segments.slice(first, until).filter((segment) => segment.kind === kind);
  return [...new Set(own.map(({ event }) => event))];
}

/** Of what an act zeroes or steps, what is at hand at a segment: the event there, else the last before, else the first. */
function eventAt(segments: readonly Segment[], act: Act, index: number): number | undefined {
  const until = Math.max(act.first, Math.min(index, act.until - 1)) + 1;
  return eventsIn(segments, { ...act, until }).at(-1) ?? eventsIn(segments, act)[0];
}

/** What is zeroed or stepped, as the program calls it: `opt_d`. */
function receiverOf({ trace }: Lookup, event: number | undefined): string | undefined {
  const span = eventsOf(trace)[event ?? -1]?.span;
  return span ? /^\s*(\w+)\./.exec(textOf(trace.source, span))?.[1] : undefined;
}

/**
 * What tells an act from others of its kind in the turn: whose gradient, whose optimizer; else its number. One that runs several
 * optimizers tells them all, at a segment the one at hand.
 */
export function actDetail(
  lookup: Lookup,
  segments: readonly Segment[],
  acts: readonly Act[],
  act: Act,
  at: number | null = null,
): string {
  const alike = acts.filter(({ kind }) => kind === act.kind);
  const { trace } = lookup;
  const told = act.kind === 'zero' || act.kind === 'step' ? eventsIn(segments, act) : [];
  const receivers = [...new Set(told.map((event) => receiverOf(lookup, event)))];
  if (alike.length < 2 && receivers.length < 2) return '';
  if (act.pass !== null) return lookup.name(trace.passes[act.pass]?.root);
  const named = at === null ? receivers : [receiverOf(lookup, eventAt(segments, act, at))];
  const known = named.filter((each) => each !== undefined);
  if (known.length > 0) return known.join(', ');
  return alike.length < 2 ? '' : String(alike.indexOf(act) + 1);
}

/** The optimizer that an act of kind step runs at a segment; empty where there is none. */
export function optimizerOf({ trace }: Lookup, segments: readonly Segment[], act: Act, at: number): string {
  const event = eventsOf(trace)[(act.kind === 'step' ? eventAt(segments, act, at) : undefined) ?? -1];
  return event?.kind === 'step' ? event.optimizer : '';
}

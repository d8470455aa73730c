import type { EventOf, Span, TraceEvent, Value } from '../../api/types';
import type { Messages } from '../../i18n/en';
import { changedBy, changeDuring, eventsOf, printedBetween } from '../trace/events';
import type { Lookup } from '../trace/lookup';
import { oneLine } from '../trace/short_code';
import { textOf } from '../trace/spans';
import { formatElement, norm } from '../trace/values';
import { leafUpdates } from '../update/leaf_updates';
import { changeByHook } from '../update/hooks';
import type { Segment, SegmentKind } from './segments';

/** More names than this are counted. */
const MOST_NAMES = 3;

/** Arrays of more elements than this, and those of more than one dimension, are not written into a sentence. */
const MOST_ELEMENTS = 4;

const LONGEST_CODE = 48;

/** The events of this kind that a segment plays; none where it plays others. */
export function eventsIn<Kind extends TraceEvent['kind'] & SegmentKind>(
  lookup: Lookup,
  segment: Segment,
  kind: Kind,
): EventOf<Kind>[] {
  if (segment.kind !== kind) return [];
  const events = eventsOf(lookup.trace).slice(segment.event, segment.until);
  return events.filter((event): event is EventOf<Kind> => event.kind === kind);
}

function short(code: string): string {
  const line = oneLine(code).replaceAll('`', "'");
  return line.length > LONGEST_CODE ? `${line.slice(0, LONGEST_CODE - 1)}…` : line;
}

function codeAt(lookup: Lookup, span: Span | null): string {
  return span ? short(textOf(lookup.trace.source, span)) : '';
}

function namesOf(t: Messages, lookup: Lookup, tensors: readonly string[], ending = ''): string {
  const names = tensors.map((id) => `\`${lookup.name(id)}${ending}\``);
  return listed(t, names);
}

/** `a, b and c`; of many the first, and how many more. */
function listed(t: Messages, names: readonly string[]): string {
  const { comma, and, andMore } = t.events;
  const [last = '', others] = [names.at(-1), names.slice(0, -1)];
  if (names.length <= MOST_NAMES) return others.length > 0 ? and(others.join(comma), last) : last;
  const few = names.slice(0, MOST_NAMES - 1);
  return andMore(few.join(comma), names.length - few.length);
}

function inWords({ shape, data }: Value): string | null {
  if (!data || data.length > MOST_ELEMENTS || shape.length > 1) return null;
  const text = data.map(formatElement).join(' ');
  return shape.length === 0 ? text : `[${text}]`;
}

/** `from 0.5 to 0.46`, where the array is small. */
function changeIn(t: Messages, lookup: Lookup, tensor: string | null, event: number): string {
  const held = lookup.tensor(tensor);
  const [before, after] = ((held && changeDuring(held, event, event + 1)) ?? []).map(inWords);
  return before && after ? t.events.change(`\`${before}\``, `\`${after}\``) : '';
}

function codeOf(lookup: Lookup, { expression, span }: EventOf<'write' | 'mark'>): string {
  return short(expression) || codeAt(lookup, span);
}

function writeSentence(t: Messages, lookup: Lookup, segment: Segment): string {
  const events = eventsIn(lookup, segment, 'write');
  const [event, ...others] = events;
  if (!event) return '';
  const isGrad = event.of === 'grad';
  const names = namesOf(t, lookup, changedTensors(events), isGrad ? '.grad' : '');
  const say = isGrad
    ? t.events.intoGrad
    : { in_place: t.events.inPlace, data: t.events.throughData, no_grad: t.events.underNoGrad }[event.by];
  if (segment.beat === 'flow') return t.update.byHand(codeOf(lookup, event), names);
  const holder = isGrad ? event.grad : event.tensor;
  return say(
    codeOf(lookup, event),
    names,
    others.length === 0 ? changeIn(t, lookup, holder, segment.event) : '',
  );
}

/** The tensors that events change, each once. */
export function changedTensors(events: readonly TraceEvent[]): string[] {
  return [...new Set(events.flatMap(changedBy))];
}

function zeroSentence(t: Messages, lookup: Lookup, segment: Segment): string {
  const events = eventsIn(lookup, segment, 'zero');
  const [event] = events;
  if (!event) return '';
  const say = event.to === 'none' ? t.events.zeroNone : t.events.zeroZeros;
  const call = codeAt(lookup, event.span) || t.events.zeroing;
  return say(call, namesOf(t, lookup, changedTensors(events), '.grad'));
}

function markSentence(t: Messages, lookup: Lookup, segment: Segment): string {
  const [event] = eventsIn(lookup, segment, 'mark');
  return event ? t.events.mark(codeOf(lookup, event)) : '';
}

/** The beats after the first: what the optimizer keeps, the flow, the write. */
function updateSentence(
  t: Messages,
  lookup: Lookup,
  segment: Segment,
  { optimizer, ...event }: EventOf<'step'>,
): string {
  const updates = leafUpdates(lookup, { optimizer, ...event }, segment.event);
  if (segment.beat === 'write') return t.update.write(updates.length);
  if (segment.beat === 'flow') return t.update.flow(optimizer, updates[0]?.rate ?? null, updates.length);
  const names = (updates[0]?.buffers ?? []).map(({ name }) => `\`${name}\``);
  return t.update.state(optimizer, listed(t, names));
}

function stepSentence(t: Messages, lookup: Lookup, segment: Segment): string {
  const [event] = eventsIn(lookup, segment, 'step');
  if (!event) return '';
  if (segment.beat && segment.beat !== 'read') return updateSentence(t, lookup, segment, event);
  const [only, ...others] = event.tensors;
  const change = only && others.length === 0 ? changeIn(t, lookup, only, segment.event) : '';
  return t.events.step(event.optimizer, namesOf(t, lookup, event.tensors), change);
}

/** What is printed while a segment is played. */
function printedDuring({ trace }: Lookup, { event, until }: Segment): string {
  return printedBetween(trace, event, until);
}

/** Where in the whole output stands what a segment prints; null where it prints nothing. */
export function printedAt(lookup: Lookup, segment: Segment): { from: number; to: number } | null {
  if (segment.kind !== 'print') return null;
  const before = printedBetween(lookup.trace, 0, segment.event);
  const text = printedDuring(lookup, segment);
  return lookup.trace.stdout.startsWith(before + text)
    ? { from: before.length, to: before.length + text.length }
    : null;
}

function printSentence(t: Messages, lookup: Lookup, segment: Segment): string {
  const text = short(printedDuring(lookup, segment));
  return text ? t.events.print(text) : t.events.printNothing;
}

/** A small array, the norm of a larger one. */
function arrayOrNorm(value: Value): string {
  return inWords(value) ?? `‖${formatElement(norm(value))}‖`;
}

function hookSentence(t: Messages, lookup: Lookup, segment: Segment): string {
  const [event] = eventsIn(lookup, segment, 'hook');
  const name = event?.tensor ? lookup.name(event.tensor) : lookup.functionName(event?.node);
  const change = event && changeByHook(lookup, event);
  if (change) return t.events.hookChanges(name, arrayOrNorm(change.before), arrayOrNorm(change.after));
  return name ? t.events.hookOn(name) : t.events.hook;
}

/** The sentence about an event that is neither a function nor a pass. */
export const eventSentences = {
  write: writeSentence,
  zero: zeroSentence,
  step: stepSentence,
  print: printSentence,
  hook: hookSentence,
  mark: markSentence,
} satisfies Partial<Record<SegmentKind, (t: Messages, lookup: Lookup, segment: Segment) => string>>;

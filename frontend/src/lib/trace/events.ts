import type { Token, Trace } from '../../api/types';

/** Something that the program did. */
export type TraceEvent = Trace['events'][number];

/** An event of one kind. */
export type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { kind: Kind }>;

/** The events of a trace; none of one that was recorded before there were any. */
export function eventsOf(trace: Trace): readonly TraceEvent[] {
  return (trace as Partial<Trace>).events ?? [];
}

/** The tensors whose values or whose `.grad` an event changes: those that it names. */
export function changedBy(event: TraceEvent): string[] {
  if (event.kind === 'write') return [event.tensor];
  return event.kind === 'zero' || event.kind === 'step' ? event.tensors : [];
}

/** A rule as LaTeX in symbols. */
export function texOf(tokens: readonly Token[]): string {
  return tokens.map(({ tex }) => tex).join(' ');
}

/** What is printed from one event up to another, which is not counted. */
export function printedBetween(trace: Trace, from: number, to: number): string {
  const events = eventsOf(trace).slice(from, to);
  return events.map((event) => (event.kind === 'print' ? event.text : '')).join('');
}

import type { Note, TensorRecord, Token, Trace, TraceEvent, TensorVersion } from '../../api/types';

/** The events of a trace; none of one that was recorded before there were any. */
export function eventsOf(trace: Trace): readonly TraceEvent[] {
  return (trace as Partial<Trace>).events ?? [];
}

/** The values of a tensor through time; none of one that was recorded before there were any. */
export function versionsOf(tensor: TensorRecord): readonly TensorVersion[] {
  return (tensor as Partial<TensorRecord>).versions ?? [];
}

/** The traps that a run has come by. */
export function notesOf(trace: Trace): readonly Note[] {
  return (trace as Partial<Trace>).notes ?? [];
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

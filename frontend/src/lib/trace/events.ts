import type { Note, TensorRecord, Trace, TraceEvent, TensorVersion, Value } from '../../api/types';

/** The events of a trace; none of one that was recorded before there were any. */
export function eventsOf(trace: Trace): readonly TraceEvent[] {
  return (trace as Partial<Trace>).events ?? [];
}

/** The values of a tensor through time; none of one that was recorded before there were any. */
export function versionsOf(tensor: TensorRecord): readonly TensorVersion[] {
  return (tensor as Partial<TensorRecord>).versions ?? [];
}

/** One of the values of a tensor, by its number; null where it was left out. */
export function valueAt(tensor: TensorRecord, version: number): Value | null {
  const versions = versionsOf(tensor);
  if (versions.length === 0) return tensor.value;
  return versions.find((each) => each.version === version)?.value ?? null;
}

/** The value of a tensor before and after the events from one up to another, which is not counted. */
export function changeDuring(tensor: TensorRecord, from: number, to: number): [Value, Value] | null {
  const own = versionsOf(tensor).filter(({ event }) => event !== null && event >= from && event < to);
  const [first, last] = [own.at(0), own.at(-1)];
  const before = first && valueAt(tensor, first.version - 1);
  return before && last ? [before, last.value] : null;
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

/** What is printed from one event up to another, which is not counted. */
export function printedBetween(trace: Trace, from: number, to: number): string {
  const events = eventsOf(trace).slice(from, to);
  return events.map((event) => (event.kind === 'print' ? event.text : '')).join('');
}

import { isBeside, type Segment } from '../animation/segments';

/** What a stretch of a turn does; `other` is what is printed before anything else is done. */
export type ActKind = 'zero' | 'forward' | 'backward' | 'step' | 'other';

/** Consecutive segments of a chapter that do one thing; of a backward act `pass` is the index of its pass. */
export interface Act {
  kind: ActKind;
  pass: number | null;
  /** The segments from `first` up to `until`, which is not counted. */
  first: number;
  until: number;
  start: number;
  end: number;
}

/** A write that autograd records is a function; one behind its back updates. */
function kindOf(segment: Segment, before: Act | undefined): ActKind {
  if (segment.pass !== null) return 'backward';
  if (segment.kind === 'zero' || segment.kind === 'step') return segment.kind;
  if (segment.kind === 'write') return before?.kind === 'backward' ? 'step' : (before?.kind ?? 'forward');
  return isBeside(segment) ? (before?.kind ?? 'other') : 'forward';
}

/** The acts of a chapter; prints, hooks and settings belong to what came before them. */
export function actsOf(segments: readonly Segment[]): Act[] {
  const acts: Act[] = [];
  for (const segment of segments) {
    const before = acts.at(-1);
    const kind = kindOf(segment, before);
    const { pass, start, end, index } = segment;
    if (before?.kind === kind && (pass === null || before.pass === pass))
      Object.assign(before, { until: index + 1, end });
    else acts.push({ kind, pass, first: index, until: index + 1, start, end });
  }
  return acts;
}

/** The act that a segment belongs to. */
export function actAt(acts: readonly Act[], index: number): Act | null {
  return acts.find(({ first, until }) => first <= index && index < until) ?? null;
}

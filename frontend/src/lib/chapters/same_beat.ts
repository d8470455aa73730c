import type { Trace } from '../../api/types';
import { actAt, actsOf, type Act } from './acts';
import type { Chapter } from './chapters';
import type { Segment, Timeline } from '../animation/segments';

/** A turn, or a part of one: a chapter, or any run of segments. */
export type Stretch = Pick<Chapter, 'start' | 'acts'>;

/** The segments from `first` up to `until`, which is not counted, as a stretch. */
export function stretchOf({ segments, duration }: Timeline, first: number, until: number): Stretch {
  return { start: segments[first]?.start ?? duration, acts: actsOf(segments.slice(first, until)) };
}

/** What a segment does, told so that another turn can be searched for the same. */
type Kind = (segment: Segment) => string;

function kinds(trace: Trace): Kind {
  const ops = new Map(trace.nodes.map(({ id, op }) => [id, op]));
  return ({ kind, node, beat, deliveries }) =>
    `${kind} ${beat ?? ''} ${ops.get(node ?? '') ?? ''} ${deliveries.length}`;
}

/** The act of another turn that stands where an act stands in its own, among those of its kind. */
function sameAct(act: Act, from: Stretch, to: Stretch): Act | null {
  const ofKind = ({ kind }: Act) => kind === act.kind;
  return to.acts.filter(ofKind)[from.acts.filter(ofKind).indexOf(act)] ?? null;
}

/** The segment that does the same as one in another act: as many of its kind stand after it. */
function sameSegment(own: Segment[], others: Segment[], at: number, kindOf: Kind): Segment | null {
  const kind = kindOf(own[at]!);
  const after = own.slice(at + 1).filter((each) => kindOf(each) === kind).length;
  return others.filter((each) => kindOf(each) === kind).at(-1 - after) ?? null;
}

/** The time in another turn at which the same happens; where nothing does the same, the beginning of the act or turn. */
export function sameBeat(
  trace: Trace,
  { segments }: Timeline,
  from: Stretch,
  to: Stretch,
  here: { segment: Segment; progress: number },
): number {
  const act = actAt(from.acts, here.segment.index);
  const other = act && sameAct(act, from, to);
  if (!act || !other) return to.start;
  const own = segments.slice(act.first, act.until);
  const others = segments.slice(other.first, other.until);
  const same = sameSegment(own, others, here.segment.index - act.first, kinds(trace));
  // The end of a segment would already be the next one.
  return same ? same.start + Math.min(here.progress, 0.999) * (same.end - same.start) : other.start;
}

import type { TensorRecord } from '../../api/types';
import { eventsOf } from '../trace/events';
import type { Lookup } from '../trace/lookup';
import { leafUpdates, type LeafUpdate } from '../update/leaf_updates';
import { between, ease } from './easing';
import { isBeside, type Segment, type Timeline } from './segments';

/** An update of a leaf, and the segments in which it flows and is written. */
export interface PlayedUpdate extends LeafUpdate {
  /** The first segment of the event, and the one after its last. */
  first: number;
  until: number;
}

/** A leaf and what is done to it, one update after the other. */
export interface UpdatedLeaf {
  tensor: TensorRecord;
  updates: PlayedUpdate[];
}

/** Updates that are played one after the other: one step of an optimizer, or all lines of an update by hand. */
export interface UpdateRun {
  first: number;
  until: number;
  leaves: UpdatedLeaf[];
}

/** What may stand between two updates that are shown in one picture. */
function isBetween(segment: Segment): boolean {
  return isBeside(segment) || segment.kind === 'zero';
}

/** The updates of a run of a program, found where they are asked for. */
export class UpdateRuns {
  private readonly known = new Map<number, UpdateRun>();

  constructor(
    private readonly lookup: Lookup,
    private readonly timeline: Timeline,
  ) {}

  /** Skips over what may stand between updates, to the next one in a direction; -1 where there is none. */
  private beside(index: number, by: 1 | -1): number {
    const { segments } = this.timeline;
    let at = index + by;
    while (segments[at] && isBetween(segments[at]!)) at += by;
    return segments[at]?.beat ? at : -1;
  }

  /** The updates that the picture shows at a segment; null where it shows the graph. */
  at(index: number): UpdateRun | null {
    const { segments } = this.timeline;
    const segment = segments[index];
    if (!segment) return null;
    let first = segment.beat ? index : isBetween(segment) ? this.beside(index, -1) : -1;
    if (first < 0) return null;
    let last = first;
    for (let next = first; next >= 0; next = this.beside(next, -1)) first = next;
    const known = this.known.get(first);
    if (known) return index < known.until ? known : null;
    for (let next = last; next >= 0; next = this.beside(next, 1)) last = next;
    let until = last + 1;
    while (segments[until] && isBeside(segments[until]!)) until += 1;
    const run = { first, until, leaves: this.leaves(first, last + 1) };
    this.known.set(first, run);
    return index < until ? run : null;
  }

  private leaves(first: number, until: number): UpdatedLeaf[] {
    const leaves = new Map<string, UpdatedLeaf>();
    const own = this.timeline.segments.slice(first, until).filter(({ beat }) => beat === 'flow');
    for (const segment of own)
      for (const update of this.updatesIn(segment)) {
        const { tensor } = update;
        const leaf = leaves.get(tensor.id) ?? { tensor, updates: [] };
        leaf.updates.push(update);
        leaves.set(tensor.id, leaf);
      }
    return [...leaves.values()];
  }

  private updatesIn({ index, event, until }: Segment): PlayedUpdate[] {
    const { segments } = this.timeline;
    let first = index;
    while (segments[first - 1]?.beat && segments[first - 1]!.event === event) first -= 1;
    const events = eventsOf(this.lookup.trace).slice(event, until);
    return events
      .flatMap((each, k) => leafUpdates(this.lookup, each, event + k))
      .map((update) => ({ ...update, first, until: index + 2 }));
  }
}

/** The update of a leaf that is shown at a segment: the one at hand, else the last before, else the first. */
export function updateAt({ updates }: UpdatedLeaf, index: number): PlayedUpdate {
  return updates.findLast(({ first }) => first <= index) ?? updates[0]!;
}

/** How far the update of a leaf has come. */
export interface UpdateMotion {
  /** Its turn has come: the bucket is marked. */
  isBegun: boolean;
  /** It is the one at hand. */
  isActive: boolean;
  /** How far what the optimizer keeps has become what it is after the step. */
  state: number;
  /** That is what happens now. */
  isRenewing: boolean;
  /** How far the chip has come from the bucket to the value; null while there is none. */
  flight: number | null;
  opacity: number;
}

/** How far an update has come in a segment, at a part `t` of it. */
export function motionOf({ first, until }: PlayedUpdate, index: number, t: number): UpdateMotion {
  const [write, flow, state] = [until - 1, until - 2, until - 3];
  const partOf = (beat: number) => (index < beat ? 0 : index > beat ? 1 : t);
  return {
    isBegun: index >= first,
    isActive: index >= first && index < until,
    state: state > first ? ease.settle(between(partOf(state), 0.2, 0.9)) : partOf(flow),
    isRenewing: state > first && index === state,
    flight: index < flow || index >= until ? null : ease.send(partOf(flow)),
    opacity: Math.min(between(partOf(flow), 0, 0.08), 1 - between(partOf(write), 0, 0.4)),
  };
}

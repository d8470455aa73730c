import type { Trace, TraceEvent } from '../../api/types';
import { eventsOf } from '../trace/events';
import { placesOf, type PlaceTree, type Turn } from '../trace/places';
import type { Segment } from '../animation/segments';

/** A loop of one turn tells nothing that its body does not. */
const FEWEST_TURNS = 2;

/** The turns of the loops in which events of some kinds happen: of nested loops the outermost counts. */
export class LoopTurns {
  private readonly places: PlaceTree;
  private readonly loops = new Set<string>();

  constructor(trace: Trace, kinds: readonly TraceEvent['kind'][]) {
    this.places = placesOf(trace);
    const events = eventsOf(trace).filter(({ kind }) => kinds.includes(kind));
    for (const place of new Set(events.map((event) => event.place))) {
      const turn = this.places.turnsAround(place).find(({ of }) => of >= FEWEST_TURNS);
      if (turn) this.loops.add(turn.loop);
    }
  }

  /** The turn that a place belongs to. */
  at(place: string | null): Turn | null {
    return this.places.turnsAround(place).findLast(({ loop }) => this.loops.has(loop)) ?? null;
  }
}

/** The turns of the loops that train: in their turns backward passes or optimizers run. */
export function trainingTurns(trace: Trace): LoopTurns {
  return new LoopTurns(trace, ['pass', 'step']);
}

/** The turn in which the function of a segment ran forward; null outside of loops. */
export function chainTurns(trace: Trace): (segment: Segment) => Turn | null {
  const turns = new LoopTurns(trace, ['function']);
  const places = new Map(trace.nodes.map(({ id, place }) => [id, place]));
  return ({ node }) => turns.at(places.get(node ?? '') ?? null);
}

import type { Place, Trace, TraceEvent } from '../../api/types';
import { eventsOf } from '../trace/events';
import type { Segment } from '../animation/segments';

/** One turn of a loop. */
export interface Turn {
  /** Counts from 1. */
  number: number;
  /** How many turns the loop had. */
  of: number;
  /** The loop's target with its value, `epoch = 2`, where that is short. */
  variable: string | null;
  /** The ids of the places of the turn and of its loop. */
  place: string;
  loop: string;
}

/** A loop of one turn tells nothing that its body does not. */
const FEWEST_TURNS = 2;

/** The turns of the loops in which events of some kinds happen: of nested loops the outermost counts. */
export class LoopTurns {
  private readonly places: Map<string, Place>;
  private readonly lengths = new Map<string, number>();
  private readonly loops = new Set<string>();
  private readonly known = new Map<string, Turn | null>();

  constructor(trace: Trace, kinds: readonly TraceEvent['kind'][]) {
    const places = (trace as Partial<Trace>).places ?? [];
    this.places = new Map(places.map((place) => [place.id, place]));
    for (const { kind, parent, turn } of places)
      if (kind === 'turn' && parent !== null)
        this.lengths.set(parent, Math.max(this.lengths.get(parent) ?? 0, (turn ?? 0) + 1));
    const events = eventsOf(trace).filter(({ kind }) => kinds.includes(kind));
    for (const place of new Set(events.map((event) => event.place))) {
      const loop = this.around(place).findLast(({ kind, id }) => kind === 'loop' && this.isLoop(id));
      if (loop) this.loops.add(loop.id);
    }
  }

  private isLoop(id: string): boolean {
    return (this.lengths.get(id) ?? 0) >= FEWEST_TURNS;
  }

  /** A place and those around it, innermost first. */
  private around(id: string | null): Place[] {
    const found: Place[] = [];
    for (let place = this.places.get(id ?? ''); place; place = this.places.get(place.parent ?? ''))
      found.push(place);
    return found;
  }

  /** The turn that a place belongs to. */
  at(place: string | null): Turn | null {
    if (place === null || this.loops.size === 0) return null;
    const known = this.known.get(place);
    if (known !== undefined) return known;
    const own = this.places.get(place);
    const turn = own && this.loops.has(own.parent ?? '') ? this.turnOf(own) : this.at(own?.parent ?? null);
    this.known.set(place, turn);
    return turn;
  }

  private turnOf({ id, parent, turn, variable }: Place): Turn {
    const loop = parent ?? '';
    return { number: (turn ?? 0) + 1, of: this.lengths.get(loop) ?? 1, variable, place: id, loop };
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

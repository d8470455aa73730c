import type { Place, Trace } from '../../api/types';

/** One turn of a loop. */
export interface Turn {
  /** The ids of the places of the turn and of its loop. */
  place: string;
  loop: string;
  /** Counts from 1. */
  number: number;
  /** How many turns the loop had. */
  of: number;
  /** The loop's target with its value, `epoch = 2`, where that is short. */
  variable: string | null;
  /** The line of the loop. */
  line: number;
}

/** The name of a module in the one around it, and its class: of `0 · Linear`. */
export function moduleParts(title: string): { name: string; kind: string } {
  const [name = title, kind = ''] = title.split(' · ');
  return { name, kind };
}

/** The places of a run: what is in what. A trace that was recorded before there were any has none. */
export class PlaceTree {
  private readonly byId: Map<string, Place>;
  private readonly chains = new Map<string, readonly Place[]>();
  /** The turns of all loops by their places, in the order of the run. */
  readonly turns = new Map<string, Turn>();

  constructor(places: readonly Place[]) {
    this.byId = new Map(places.map((place) => [place.id, place]));
    const lengths = new Map<string, number>();
    for (const { kind, parent, turn } of places)
      if (kind === 'turn' && parent) lengths.set(parent, Math.max(lengths.get(parent) ?? 0, (turn ?? 0) + 1));
    for (const { id, kind, parent, turn, variable } of places)
      if (kind === 'turn' && parent)
        this.turns.set(id, {
          place: id,
          loop: parent,
          number: (turn ?? 0) + 1,
          of: this.byId.get(parent)?.turns ?? lengths.get(parent) ?? 1,
          variable,
          line: this.byId.get(parent)?.span?.line ?? 0,
        });
  }

  /** A place and those around it, outermost first. */
  around(id: string | null | undefined): readonly Place[] {
    const place = this.byId.get(id ?? '');
    if (!place) return [];
    const known = this.chains.get(place.id);
    if (known) return known;
    const chain = [...this.around(place.parent), place];
    this.chains.set(place.id, chain);
    return chain;
  }

  /** The turns that a place is in, outermost first. */
  turnsAround(id: string | null | undefined): Turn[] {
    return this.around(id).flatMap((place) => this.turns.get(place.id) ?? []);
  }

  /** The innermost module that a place is in: `0 · Linear`. */
  moduleAround(id: string | null | undefined): Place | null {
    return this.around(id).findLast(({ kind }) => kind === 'module') ?? null;
  }
}

const trees = new WeakMap<Trace, PlaceTree>();

/** The places of a trace, worked out once. */
export function placesOf(trace: Trace): PlaceTree {
  const known = trees.get(trace) ?? new PlaceTree((trace as Partial<Trace>).places ?? []);
  trees.set(trace, known);
  return known;
}

import type { Trace } from '../../api/types';
import { groupBy } from '../group_by';
import { eventsOf } from '../trace/events';
import { chainsOf, type Chain } from './chains';
import { TRAINING } from './scopes';
import { placesOf, type PlaceTree, type Turn } from '../trace/places';

/** A loop with more functions than this shows one turn at a time. */
const MOST_UNROLLED = 24;

/** Turns that read each other are drawn whole up to so many; more are drawn one at a time, with a strip of all. */
const MOST_LINKS = 4;

/** A loop whose turns each bring leaves of their own is drawn whole up to so many turns: nothing that learns is out of sight. */
const MOST_LAYERS = 12;

/** A loop as it ran once. */
interface Loop {
  id: string;
  /** The id of the turn that it ran in, of a loop around it. */
  outer: string | null;
  turns: Turn[];
  /** One turn is shown at a time. */
  stacked: boolean;
}

/** The turns that are on screen, by loop, and a key that is the same for the same turns. */
export interface TurnChoice {
  key: string;
  ids: ReadonlySet<string>;
  /** One of them stands for others that are not on screen. */
  isStacked: boolean;
  /** The chain in whose turns something happens: what is read after it is not on screen. */
  inside: string | null;
  /** By turn that is drawn in the place of one that was not written whole: the turn at hand. */
  standsFor: ReadonlyMap<string, Turn>;
}

/** Segments from `first` up to `until`, which is not counted. */
export interface SegmentRange {
  first: number;
  until: number;
}

const NO_TURNS: TurnChoice = {
  key: '',
  ids: new Set(),
  isStacked: false,
  inside: null,
  standsFor: new Map(),
};

/** Which turn of each loop is on screen at which segment of the timeline. */
export class Turns {
  private readonly places: PlaceTree;
  private readonly loops: Map<string, Loop>;
  /** The loops that ran in a turn, or in none. */
  private readonly within: Map<string | null, Loop[]>;
  private readonly scopes = new Map<string, readonly Turn[]>();
  private readonly chains: Map<string, Chain>;
  /** By loop: the segments at which another of its turns comes on screen, and that turn. */
  private readonly arrivals = new Map<string, { from: number[]; turn: string[] }>();
  private readonly choices = new Map<string, TurnChoice>();
  /** The places of turns in which functions ran. */
  private readonly written = new Set<string>();

  /** `course`: the place of each segment, null where it has none of its own. */
  constructor(
    trace: Trace,
    private readonly course: readonly (string | null)[],
  ) {
    this.places = placesOf(trace);
    const loops = groupBy(this.places.turns.values(), ({ loop }) => loop);
    this.loops = new Map(
      [...loops].map(([id, turns]) => {
        const outer = this.places.turnsAround(id).at(-1)?.place ?? null;
        return [id, { id, outer, turns, stacked: false }];
      }),
    );
    this.within = groupBy(this.loops.values(), ({ outer }) => outer);
    this.chains = chainsOf(trace, this.loops.values(), (place) => this.around(place));
    this.weigh(trace);
    this.follow(course);
  }

  /** The turns that a place is in, outermost first. */
  around(id: string | null | undefined): readonly Turn[] {
    const known = this.scopes.get(id ?? '') ?? this.places.turnsAround(id);
    this.scopes.set(id ?? '', known);
    return known;
  }

  /** A loop is shown turn by turn where it trains, or where it is long; not where each turn has leaves of its own. */
  private weigh(trace: Trace): void {
    const functions = new Map<string, number>();
    const leaves = new Map<string, Map<string, Set<string>>>();
    const learns = new Set(
      trace.tensors.filter((each) => each.is_leaf && each.requires_grad).map(({ id }) => id),
    );
    for (const node of trace.nodes)
      for (const { place, loop } of this.around(node.place)) {
        this.written.add(place);
        functions.set(loop, (functions.get(loop) ?? 0) + 1);
        const own = node.inputs.filter((input) => learns.has(input));
        if (own.length === 0) continue;
        const turns = leaves.get(loop) ?? new Map<string, Set<string>>();
        leaves.set(loop, turns.set(place, new Set([...(turns.get(place) ?? []), ...own])));
      }
    // The turns of a loop that trains take each other's places, however small they are.
    const trains = new Set(
      eventsOf(trace).flatMap((event) =>
        TRAINING.has(event.kind) ? this.around(event.place).map(({ loop }) => loop) : [],
      ),
    );
    for (const loop of this.loops.values()) {
      const few = (functions.get(loop.id) ?? 0) <= MOST_UNROLLED;
      const layers = loop.turns.length <= MOST_LAYERS && haveOwn(leaves.get(loop.id));
      const isLong = this.chains.has(loop.id) && loop.turns.length > MOST_LINKS;
      loop.stacked = loop.turns.length > 1 && (trains.has(loop.id) || !(layers || (few && !isLong)));
      if (trains.has(loop.id) || !loop.stacked) this.chains.delete(loop.id);
    }
  }

  private follow(course: readonly (string | null)[]): void {
    let last: string | null = null;
    course.forEach((place, segment) => {
      if (place === null || place === last) return;
      last = place;
      for (const turn of this.around(place)) this.arrive(turn, segment);
    });
  }

  private arrive({ place, loop }: Turn, segment: number): void {
    const known = this.arrivals.get(loop) ?? { from: [], turn: [] };
    if (known.turn.at(-1) === place) return;
    known.from.push(segment);
    known.turn.push(place);
    this.arrivals.set(loop, known);
  }

  private current(loop: Loop, segment: number): Turn | null {
    const { from, turn } = this.arrivals.get(loop.id) ?? { from: [], turn: [] };
    let low = 0;
    let high = from.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (from[middle]! <= segment) low = middle + 1;
      else high = middle;
    }
    return this.places.turns.get(turn[Math.max(0, low - 1)] ?? '') ?? loop.turns[0] ?? null;
  }

  /**
   * The turn that is drawn for one: of a turn that was not written whole, the next that was. What that makes is still to
   * come, so that its places stand empty, and nothing leaves its place from turn to turn.
   */
  private drawn({ turns }: Loop, turn: Turn): Turn {
    if (this.written.has(turn.place)) return turn;
    return turns.find(({ place, number }) => number > turn.number && this.written.has(place)) ?? turn;
  }

  /** The turns on screen when a segment is played. */
  at(segment: number): TurnChoice {
    if (this.loops.size === 0) return NO_TURNS;
    const ids: string[] = [];
    const standsFor = new Map<string, Turn>();
    let isStacked = false;
    const enter = (outer: string | null): void => {
      for (const loop of this.within.get(outer) ?? []) {
        const current = loop.stacked ? this.current(loop, segment) : null;
        const shown = current ? [this.drawn(loop, current)] : loop.stacked ? [] : loop.turns;
        if (current && shown[0] !== current) standsFor.set(shown[0]!.place, current);
        for (const turn of shown) {
          isStacked ||= loop.stacked;
          ids.push(turn.place);
          enter(turn.place);
        }
      }
    };
    enter(null);
    const inside = this.inPlay(segment);
    const key = [...ids, inside, ...[...standsFor.values()].map(({ place }) => place)].join();
    const known = this.choices.get(key) ?? { key, ids: new Set(ids), isStacked, inside, standsFor };
    this.choices.set(key, known);
    return known;
  }

  /** The chain that a segment, or the last one before it with a place, is in. */
  private inPlay(segment: number): string | null {
    if (this.chains.size === 0) return null;
    const place = this.course[Math.min(segment, this.course.length - 1)] ?? null;
    return this.around(place).find(({ loop }) => this.chains.has(loop))?.loop ?? null;
  }

  /** The chain that is on screen when a segment is played, and its turn: of several the one that was last in play. */
  chainAt(segment: number): { chain: Chain; turn: Turn } | null {
    if (this.chains.size === 0) return null;
    const { ids } = this.at(segment);
    let best: { chain: Chain; loop: Loop; from: number } | null = null;
    for (const chain of this.chains.values()) {
      const loop = this.loops.get(chain.loop)!;
      if (loop.outer !== null && !ids.has(loop.outer)) continue;
      const from = this.arrivals.get(loop.id)?.from.findLast((each) => each <= segment) ?? -1;
      if (!best || from > best.from) best = { chain, loop, from };
    }
    const turn = best && this.current(best.loop, segment);
    return best && turn ? { chain: best.chain, turn } : null;
  }

  /** Is there a turn with this number that comes on screen? */
  has(loop: string, number: number): boolean {
    const wanted = this.loops.get(loop)?.turns.find((turn) => turn.number === number);
    return wanted !== undefined && (this.arrivals.get(loop)?.turn.includes(wanted.place) ?? false);
  }

  /**
   * The segments of the turn of a loop around one of them, and those of the turn with a number: the nearest, among those
   * that are preferred where there are any; null where that turn never comes on screen.
   */
  way(
    loop: string,
    number: number,
    segment: number,
    prefers: (range: SegmentRange) => boolean,
  ): { own: SegmentRange; other: SegmentRange } | null {
    const wanted = this.loops.get(loop)?.turns.find((turn) => turn.number === number);
    const { from, turn } = this.arrivals.get(loop) ?? { from: [], turn: [] };
    const here = Math.max(
      0,
      from.findLastIndex((each) => each <= segment),
    );
    const range = (k: number): SegmentRange => ({ first: from[k]!, until: from[k + 1] ?? Infinity });
    const times = turn.flatMap((place, k) => (place === wanted?.place ? [k] : []));
    const near = times.toSorted((x, y) => Math.abs(x - here) - Math.abs(y - here));
    const nearest = near.find((k) => prefers(range(k))) ?? near[0];
    return nearest === undefined ? null : { own: range(here), other: range(nearest) };
  }

  /** The innermost turn that a place is in. */
  innermost(place: string | null | undefined): string | null {
    return this.around(place).at(-1)?.place ?? null;
  }

  /** The turn that the one with this place's id is shown as, where its loop shows one at a time. */
  stacked(place: string, choice: TurnChoice = NO_TURNS): Turn | null {
    const turn = choice.standsFor.get(place) ?? this.places.turns.get(place);
    return turn && this.loops.get(turn.loop)?.stacked ? turn : null;
  }
}

/** Does each turn use leaves that no other uses? */
function haveOwn(leaves: Map<string, Set<string>> | undefined): boolean {
  if (!leaves || leaves.size < 2) return false;
  const times = new Map<string, number>();
  for (const own of leaves.values()) for (const id of own) times.set(id, (times.get(id) ?? 0) + 1);
  return [...leaves.values()].every((own) => [...own].some((id) => times.get(id) === 1));
}

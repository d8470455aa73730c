import type { NodeRecord, Place, Trace } from '../../api/types';

/** One level of where a function ran: a turn of a loop, a call of a function, a module, a pass that was recorded itself. */
export interface ScopeLevel {
  key: string;
  kind: 'turn' | 'call' | 'module' | 'pass';
  /** The module's path or the function's name; of a turn, its number, from 1; of a pass, its id. */
  title: string;
  /** Of a turn: the loop's variable with its value (`i = 2`), where there is a short one. */
  variable: string | null;
  /** Of a turn: the line of its loop. */
  line: number;
  /** Of a module: its name in the one around it, and its class (`0 · Linear`). */
  caption: string;
}

/** The levels of each place, outermost first: a loop is told by its turns, a pass by itself. */
class Levels {
  private readonly places: Map<string, Place>;
  private readonly known = new Map<string, ScopeLevel[]>();

  constructor(places: Place[]) {
    this.places = new Map(places.map((place) => [place.id, place]));
  }

  at(id: string | null | undefined): ScopeLevel[] {
    const place = this.places.get(id ?? '');
    if (!place) return [];
    const found = this.known.get(place.id) ?? this.find(place);
    this.known.set(place.id, found);
    return found;
  }

  private find(place: Place): ScopeLevel[] {
    const outer = this.at(place.parent);
    const { id, kind, variable } = place;
    if (kind === 'loop' || kind === 'pass') return outer;
    const line = place.span?.line ?? 0;
    return [...outer, { key: id, kind, title: titleOf(place, outer), variable, line, caption: place.title }];
  }
}

/** A module is told by its path: `net.0` for `0 · Linear` in `net`. */
function titleOf({ kind, title, turn }: Place, outer: ScopeLevel[]): string {
  if (kind === 'turn') return String((turn ?? 0) + 1);
  if (kind === 'call') return title;
  const above = outer.findLast((level) => level.kind === 'module');
  const name = title.split(' · ')[0] ?? title;
  return above ? `${above.title}.${name}` : name;
}

/** Where each function of a run ran, outermost level first. */
export function scopesOf(trace: Trace): Map<string, ScopeLevel[]> {
  const levels = new Levels(trace.places ?? []);
  return new Map(
    trace.nodes.map(({ id, place, pass_id }: NodeRecord) => {
      const scopes = levels.at(place);
      return [id, pass_id ? [...scopes, passLevel(pass_id)] : scopes];
    }),
  );
}

function passLevel(id: string): ScopeLevel {
  return { key: id, kind: 'pass', title: id, variable: null, line: 0, caption: '' };
}

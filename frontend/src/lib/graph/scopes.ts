import type { NodeRecord, Place, Trace } from '../../api/types';
import { moduleParts, placesOf } from '../trace/places';

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

/** The levels of a place, outermost first: a loop is told by its turns, a pass by itself. */
function levelsOf(places: readonly Place[]): ScopeLevel[] {
  const levels: ScopeLevel[] = [];
  for (const place of places) {
    const { id, kind, variable, span, title: caption } = place;
    if (kind === 'loop' || kind === 'pass') continue;
    levels.push({ key: id, kind, title: titleOf(place, levels), variable, line: span?.line ?? 0, caption });
  }
  return levels;
}

/** A module is told by its path: `net.0` for `0 · Linear` in `net`. */
function titleOf({ kind, title, turn }: Place, outer: ScopeLevel[]): string {
  if (kind === 'turn') return String((turn ?? 0) + 1);
  if (kind === 'call') return title;
  const above = outer.findLast((level) => level.kind === 'module');
  const { name } = moduleParts(title);
  return above ? `${above.title}.${name}` : name;
}

/** Where each function of a run ran, outermost level first. */
export function scopesOf(trace: Trace): Map<string, ScopeLevel[]> {
  const places = placesOf(trace);
  const known = new Map<string | null, ScopeLevel[]>();
  return new Map(
    trace.nodes.map(({ id, place, pass_id }: NodeRecord) => {
      const levels = known.get(place) ?? levelsOf(places.around(place));
      known.set(place, levels);
      return [id, pass_id ? [...levels, passLevel(pass_id)] : levels];
    }),
  );
}

function passLevel(id: string): ScopeLevel {
  return { key: id, kind: 'pass', title: id, variable: null, line: 0, caption: '' };
}

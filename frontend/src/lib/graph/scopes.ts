import type { NodeRecord, Place, Trace } from '../../api/types';
import { eventsOf } from '../trace/events';
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
  /** Of a call: whether gradients were computed, zeroed or applied in it, as in `main()` or `train()`. */
  drives: boolean;
}

/** What happens in a function that trains, and not in one that only computes. */
export const TRAINING: ReadonlySet<string> = new Set(['pass', 'zero', 'step']);

/** The levels of a place, outermost first: a loop is told by its turns, a pass by itself. */
function levelsOf(places: readonly Place[], drivers: ReadonlySet<string>): ScopeLevel[] {
  const levels: ScopeLevel[] = [];
  for (const place of places) {
    const { id, kind, variable, span, title: caption } = place;
    if (kind === 'loop' || kind === 'pass') continue;
    const title = titleOf(place, levels);
    levels.push({ key: id, kind, title, variable, line: span?.line ?? 0, caption, drives: drivers.has(id) });
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
  const drivers = new Set(
    eventsOf(trace).flatMap(({ kind, place }) =>
      TRAINING.has(kind) ? places.around(place).flatMap((each) => (each.kind === 'call' ? each.id : [])) : [],
    ),
  );
  const known = new Map<string | null, ScopeLevel[]>();
  return new Map(
    trace.nodes.map(({ id, place, pass_id }: NodeRecord) => {
      const levels = known.get(place) ?? levelsOf(places.around(place), drivers);
      known.set(place, levels);
      return [id, pass_id ? [...levels, passLevel(pass_id)] : levels];
    }),
  );
}

function passLevel(id: string): ScopeLevel {
  return { key: id, kind: 'pass', title: id, variable: null, line: 0, caption: '', drives: false };
}

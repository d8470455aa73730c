import type { GraphSource } from '../../graph/source';
import { placesOf, type Turn } from '../../trace/places';
import type { ScopeLevel } from '../../graph/scopes';
import { opName } from '../../trace/names';

/** More names than this are cut in the middle. */
const MOST = { first: 4, last: 2 };

/** What a turn computed, in the order of the run: its modules with leaves, calls, and functions between them. */
export function computedIn(source: GraphSource, turn: string): string[] {
  const names: string[] = [];
  // Of a module that holds others with leaves, its functions are told one by one.
  const holds = (path: string) => [...source.owners].some((owner) => owner.startsWith(`${path}.`));
  const isWhole = ({ kind, title }: ScopeLevel) => kind === 'call' || !holds(title);
  let last = '';
  for (const node of source.context.nodes) {
    if (node.pass_id !== null || node.kind === 'constant' || source.turns.innermost(node.place) !== turn)
      continue;
    const levels = (source.scopes.get(node.id) ?? []).filter(
      ({ kind }) => kind === 'module' || kind === 'call',
    );
    const level = levels.find(({ title }) => source.owners.has(title)) ?? levels.findLast(isWhole);
    const key = level?.key ?? node.id;
    if (key === last) continue;
    last = key;
    names.push(level ? titleOf(source, level) : opName(node.op));
  }
  const { first, last: end } = MOST;
  return names.length > first + end + 1 ? [...names.slice(0, first), '…', ...names.slice(-end)] : names;
}

function titleOf(
  source: GraphSource,
  { kind, title, caption }: { kind: string; title: string; caption: string },
) {
  if (kind === 'call') return `${title}()`;
  const named = source.captions.of({ title, caption });
  return `${named.path} · ${named.kind}`;
}

/** A place on the way to another. */
export interface Waypoint {
  id: string;
  kind: string;
  title: string;
  turn: Turn | null;
}

/** The places around one, outermost first, but for the turn that a frame tells; its loop is told where it is within others. */
export function wayTo(source: GraphSource, place: string | null | undefined, told: Turn | null): Waypoint[] {
  return placesOf(source.trace)
    .around(place)
    .filter(({ id }, k) => id !== told?.place && (id !== told?.loop || k > 0))
    .map(({ id, kind, title }) => ({
      id,
      kind,
      title,
      turn: source.turns.around(id).findLast((turn) => turn.place === id) ?? null,
    }));
}

import type { FoldedGroup, Link, Pill } from '../graph/types';
import { FUTURE_EDGE, FUTURE_PILL, type EdgeState, type PillState } from './element_states';
import type { AnimationFrame } from './frame';

/** Of edges that share a line, the one that moves is shown, else the one that is further, else the widest. */
function stronger(x: EdgeState, y: EdgeState): EdgeState {
  if (x.trail !== y.trail) return x.trail ? x : y;
  if (x.dim !== y.dim) return x.dim ? y : x;
  if (x.fill !== y.fill) return x.fill > y.fill ? x : y;
  return x.width >= y.width ? x : y;
}

/** A line that stands for no edge. */
const NOTHING_FLOWS: EdgeState = { ...FUTURE_EDGE, future: false };

/** How a line looks that carries one edge or several. */
export function linkState(link: Link, frame: AnimationFrame): EdgeState {
  const [first, ...others] = link.edges;
  if (first === undefined) return NOTHING_FLOWS;
  const stateOf = (id: string) => frame.edges.get(id) ?? FUTURE_EDGE;
  return others.reduce((strongest, id) => stronger(strongest, stateOf(id)), stateOf(first));
}

/** How a function looks with those that belong to its step. */
export function pillState({ id, absorbed }: Pill, frame: AnimationFrame): PillState {
  const own = frame.pills.get(id) ?? FUTURE_PILL;
  for (const node of absorbed) {
    const state = frame.pills.get(node.id);
    if (state?.phase === 'active') return { ...state, freed: own.freed };
  }
  return own;
}

/** The id of the function at work within a folded group. */
export function activeNodeIn(folded: FoldedGroup, frame: AnimationFrame): string | null {
  const node = frame.segment?.node ?? null;
  return node !== null && folded.group.nodes.some((each) => each.id === node) ? node : null;
}

/** Is nothing within a folded group involved? */
export function isGroupDim(folded: FoldedGroup, frame: AnimationFrame): boolean {
  return folded.group.nodes.every((node) => frame.pills.get(node.id)?.dim ?? true);
}

/** Has the value that a folded group hands on been computed? */
export function isGroupMade(folded: FoldedGroup, frame: AnimationFrame): boolean {
  return folded.value !== null && (frame.cards.get(folded.value.id)?.value ?? 0) >= 0.5;
}

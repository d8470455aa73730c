import type { Frame } from './frame';
import type { Box, Link } from '../graph/model';
import { FUTURE_EDGE, type EdgeState } from './element_states';

/** Of edges that share a line, the one that moves is shown, else the one that is further, else the widest. */
function stronger(x: EdgeState, y: EdgeState): EdgeState {
  if (x.trail !== y.trail) return x.trail ? x : y;
  if (x.dim !== y.dim) return x.dim ? y : x;
  if (x.fill !== y.fill) return x.fill > y.fill ? x : y;
  return x.width >= y.width ? x : y;
}

/** How a line looks that carries one edge or several. */
export function linkState(link: Link, frame: Frame): EdgeState {
  return link.edges.map((id) => frame.edges.get(id) ?? FUTURE_EDGE).reduce(stronger);
}

/** The id of the function at work within a folded group. */
export function activeIn(box: Box, frame: Frame): string | null {
  const node = frame.segment?.node ?? null;
  return node !== null && box.group.nodes.some((each) => each.id === node) ? node : null;
}

/** Is nothing within a folded group involved? */
export function isDim(box: Box, frame: Frame): boolean {
  return box.group.nodes.every((node) => frame.pills.get(node.id)?.dim ?? true);
}

/** Has the value that a folded group hands on been computed? */
export function isMade(box: Box, frame: Frame): boolean {
  return box.value !== null && (frame.cards.get(box.value.id)?.value ?? 0) >= 0.5;
}

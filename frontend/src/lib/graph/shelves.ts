import type { NodeRecord } from '../../api/types';
import type { GraphContext } from './context';
import { ownerOf, type Folding, type Group } from './folding';

/**
 * Parameters by id, and the group on whose shelf each stands: its module, or where that is not in the picture the folded group
 * that alone reads it.
 */
export function shelvesOf(
  { tensors, nodes }: GraphContext,
  { folded, framed }: Folding,
): Map<string, string> {
  const modules = new Map<string, Group>();
  for (const group of [...framed, ...folded])
    if (group.kind === 'module' && !modules.has(group.title)) modules.set(group.title, group);
  const readers = folded.length > 0 ? soleReaders(nodes, folded) : new Map<string, string | null>();
  const shelves = new Map<string, string>();
  for (const { id, is_leaf, requires_grad, names } of tensors) {
    const owner = ownerOf(names[0] ?? '');
    if (!is_leaf || !requires_grad || owner === '') continue;
    const group = nearest(modules, owner)?.id ?? readers.get(id);
    if (group) shelves.set(id, group);
  }
  return shelves;
}

/** By tensor the folded group that alone reads it; null where there are others. */
function soleReaders(nodes: readonly NodeRecord[], folded: readonly Group[]): Map<string, string | null> {
  const groupOf = new Map(folded.flatMap((group) => group.nodes.map((node) => [node.id, group.id] as const)));
  const readers = new Map<string, string | null>();
  for (const { id, inputs } of nodes)
    for (const input of inputs) {
      const group = groupOf.get(id) ?? null;
      const known = readers.has(input) ? readers.get(input) : group;
      readers.set(input, known === group ? group : null);
    }
  return readers;
}

/** The module of this path, or the innermost one around it. */
function nearest(modules: Map<string, Group>, path: string): Group | null {
  for (let at = path; at !== ''; at = ownerOf(at)) {
    const group = modules.get(at);
    if (group) return group;
  }
  return null;
}

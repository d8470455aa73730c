import type { GraphContext } from './context';
import { ownerOf, type Folding, type Group } from './folding';

/** Leaves that are parameters of modules in the picture, by id, and the group on whose shelf each stands. */
export function shelvesOf({ tensors }: GraphContext, { folded, framed }: Folding): Map<string, string> {
  const modules = new Map<string, Group>();
  for (const group of [...framed, ...folded])
    if (group.kind === 'module' && !modules.has(group.title)) modules.set(group.title, group);
  const shelves = new Map<string, string>();
  if (modules.size === 0) return shelves;
  for (const { id, is_leaf, requires_grad, names } of tensors) {
    if (!is_leaf || !requires_grad) continue;
    const group = nearest(modules, ownerOf(names[0] ?? ''));
    if (group) shelves.set(id, group.id);
  }
  return shelves;
}

/** The module of this path, or the innermost one around it. */
function nearest(modules: Map<string, Group>, path: string): Group | null {
  for (let at = path; at !== ''; at = ownerOf(at)) {
    const group = modules.get(at);
    if (group) return group;
  }
  return null;
}

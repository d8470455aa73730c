import type { TensorRecord } from '../../api/types';
import type { GraphContext } from './context';
import type { Group } from './folding';

/** Does the picture lose nothing if a tensor that a folded group made is not drawn? */
function isInner(tensor: TensorRecord, group: Group, used: (string | undefined)[]): boolean {
  if (tensor.names.length === 0) return true;
  if (group.kind === 'line' || (tensor.grad !== null && !tensor.is_leaf)) return false;
  if (group.kind === 'pass') return false;
  return used.length > 0 && used.every((id) => id === group.id);
}

/** Tensors that a folded group keeps to itself: steps on the way, and constants that only it uses. */
export function hiddenTensors(
  context: GraphContext,
  groups: Group[],
  folded: Map<string, string>,
): Map<string, string> {
  const hidden = new Map<string, string>();
  if (groups.length === 0) return hidden;
  const byId = new Map(groups.map((group) => [group.id, group]));
  const drawn = new Set(context.nodes.map((node) => node.id));
  for (const tensor of context.tensors) {
    if (context.asked.has(tensor.id)) continue;
    const users = context.users.get(tensor.id) ?? [];
    const used = users.map((node) => folded.get(node.id));
    const maker = byId.get(folded.get(tensor.node ?? '') ?? '');
    if (maker) {
      if (isInner(tensor, maker, used)) hidden.set(tensor.id, maker.id);
      continue;
    }
    const [only] = used;
    if (only === undefined || used.some((id) => id !== only) || drawn.has(tensor.node ?? '')) continue;
    const isPart = !tensor.requires_grad && tensor.names.length === 0;
    if (isPart) hidden.set(tensor.id, only);
  }
  return hidden;
}

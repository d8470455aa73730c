import type { TensorRecord } from '../../api/types';
import type { GraphContext } from './context';
import { ownerOf, type Group } from './folding';
import type { Card, GroupFrame, Style } from './types';

/** Is it a parameter of the module that its users ran in, or of one around that? */
function isParameterOf(tensor: TensorRecord, users: { scope: string[] }[]): boolean {
  const owner = ownerOf(tensor.names[0] ?? '');
  return owner !== '' && users.every(({ scope }) => `${scope.join('.')}.`.startsWith(`${owner}.`));
}

/** A frame holds what its functions make, if it stays inside or has no name, and what only they read. */
function isWithin(context: GraphContext, tensor: TensorRecord, inside: ReadonlySet<string>): boolean {
  const users = context.users.get(tensor.id) ?? [];
  const staysInside = users.length > 0 && users.every((node) => inside.has(node.id));
  if (inside.has(tensor.node ?? '')) return staysInside || tensor.names.length === 0;
  return staysInside && isParameterOf(tensor, users);
}

/** The same where functions and results are one row: constants stand in the turn or the call that reads them. */
function isWithinRows(
  context: GraphContext,
  tensor: TensorRecord,
  inside: ReadonlySet<string>,
  { kind }: Group,
): boolean {
  if (inside.has(tensor.node ?? '')) return true;
  if (context.drawn.has(tensor.node ?? '')) return false;
  const users = context.users.get(tensor.id) ?? [];
  if (users.length === 0 || !users.every((node) => inside.has(node.id))) return false;
  if (tensor.is_leaf && tensor.requires_grad) return false;
  return kind === 'turn' || kind === 'call' || tensor.names.length === 0;
}

/** The frames of unfolded groups, outermost first. */
export function framesOf(
  context: GraphContext,
  framed: Group[],
  elementOf: ReadonlyMap<string, string>,
  onShelf: ReadonlyMap<string | null, Card[]>,
  style: Style,
): GroupFrame[] {
  const frames = framed.map((group): GroupFrame => {
    const inside = new Set(group.nodes.map((node) => node.id));
    const tensors = context.tensors.filter((tensor) =>
      style === 'rows' ? isWithinRows(context, tensor, inside, group) : isWithin(context, tensor, inside),
    );
    const drawn = [...inside, ...tensors.map((tensor) => tensor.id)].map((id) => elementOf.get(id) ?? id);
    const shelf = (onShelf.get(group.id) ?? []).map(({ id }) => id);
    return { group, members: [...new Set(drawn)], parent: null, layers: 0, shelf };
  });
  for (const [k, frame] of [...frames.entries()].toReversed()) {
    const first = frame.group.nodes[0];
    const outer = frames
      .slice(0, k)
      .findLast(({ group }) => first !== undefined && group.nodes.includes(first));
    frame.parent = outer?.group.id ?? null;
    if (outer) outer.layers = Math.max(outer.layers, frame.layers + 1);
  }
  return frames;
}

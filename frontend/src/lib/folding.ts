import type { NodeRecord, TensorRecord } from '../api/types';

/** Functions that fold into one box: those of a source line, of a scope, or those that a backward pass made. */
export interface Group {
  id: string;
  kind: 'line' | 'scope' | 'pass';
  /** The line's number, the scope's name, or the id of the pass. */
  title: string;
  nodes: NodeRecord[];
}

/** With more tensors and functions than this, source lines fold by themselves. */
export const MOST_ELEMENTS = 32;

function keyOf(node: NodeRecord): string {
  if (node.pass_id) return `pass:${node.pass_id}`;
  return `line:${node.span?.line ?? 0}:${node.scope.join('/')}`;
}

function groupOf(key: string, nodes: NodeRecord[]): Group {
  const [kind = 'line', title = ''] = key.split(':');
  return { id: `${key}@${nodes[0]?.id ?? ''}`, kind: kind as Group['kind'], title, nodes };
}

/** Does the statement end here? Its result has a name. */
function endsStatement(node: NodeRecord, names: Map<string, number>): boolean {
  return !node.pass_id && node.outputs.some((id) => (names.get(id) ?? 0) > 0);
}

/** Runs of consecutive functions of one key. Being consecutive in time, no path leaves a run and comes back. */
function runs(nodes: NodeRecord[], names: Map<string, number>, key: (node: NodeRecord) => string): Group[] {
  const groups: Group[] = [];
  let open: { key: string; nodes: NodeRecord[] } | null = null;
  const close = () => {
    if (open && open.nodes.length > 1) groups.push(groupOf(open.key, open.nodes));
    open = null;
  };
  for (const node of nodes) {
    const mine = key(node);
    if (node.kind === 'copy_slices' && !node.pass_id) {
      close();
      continue;
    }
    if (open && (open as { key: string }).key !== mine) close();
    open ??= { key: mine, nodes: [] };
    open.nodes.push(node);
    if (endsStatement(node, names)) close();
  }
  close();
  return groups;
}

/** Which groups are folded, by the reader's choice or else because the graph is large, and which are framed. */
export function fold(
  nodes: NodeRecord[],
  tensors: TensorRecord[],
  folds: Readonly<Record<string, boolean>>,
): { folded: Group[]; unfolded: Group[] } {
  const names = new Map(tensors.map((tensor) => [tensor.id, tensor.names.length]));
  const groups = runs(nodes, names, keyOf);
  const large = nodes.length + tensors.length > MOST_ELEMENTS;
  const isFolded = (group: Group) => folds[group.id] ?? (group.kind === 'pass' || large);
  const folded = groups.filter(isFolded);
  const framed = (group: Group) => folds[group.id] === false;
  return { folded, unfolded: groups.filter((group) => !isFolded(group) && framed(group)) };
}

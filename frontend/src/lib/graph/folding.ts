import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import { scopesOf, type ScopeLevel } from './scopes';

/** Functions that fold into one box. Those of a turn, a call or a module may hold further groups. */
export interface Group {
  id: string;
  kind: 'line' | 'turn' | 'call' | 'module' | 'pass';
  /** The line's number, the number of the turn, the name of the function or module, or the id of the pass. */
  title: string;
  /** Of a turn: the line of its loop. */
  line: number;
  /** Of a turn: the loop's variable with its value, where there is a short one. */
  variable: string | null;
  nodes: NodeRecord[];
  children: Group[];
  /** How many groups it is in. */
  depth: number;
}

/** With more tensors and functions than this on screen, groups fold by themselves. */
export const MOST_ELEMENTS = 32;

/** They then fold until there are no more than this: an overview, from which a reader goes on. */
export const FOLDED_ELEMENTS = 16;

type Naming = (tensor: string) => boolean;

function groupOf(kind: Group['kind'], title: string, nodes: NodeRecord[], depth: number): Group {
  const id = `${kind}:${title}@${nodes[0]?.id ?? ''}`;
  return { id, kind, title, line: 0, variable: null, nodes, children: [], depth };
}

/** Consecutive items of one key; null stands alone. */
function runsOf<Item>(
  items: Item[],
  key: (item: Item) => string | null,
): { key: string | null; items: Item[] }[] {
  const runs: { key: string | null; items: Item[] }[] = [];
  for (const item of items) {
    const mine = key(item);
    const open = runs.at(-1);
    if (open && open.key === mine) open.items.push(item);
    else runs.push({ key: mine, items: [item] });
  }
  return runs;
}

/** The statements of a line. A name for the result ends one; what writes into a tensor stays by itself. */
function lineGroups(nodes: NodeRecord[], isNamed: Naming, depth: number): Group[] {
  let statement = 0;
  const numbered = nodes.map((node) => {
    const isWrite = node.kind === 'copy_slices';
    const key = `${node.span?.line ?? 0}:${isWrite ? ++statement : statement}`;
    if (isWrite || node.outputs.some(isNamed)) statement += 1;
    return { node, key };
  });
  return runsOf(numbered, ({ key }) => key)
    .filter(({ items }) => items.length > 1)
    .map(({ items }) => {
      const members = items.map(({ node }) => node);
      return groupOf('line', String(members[0]?.span?.line ?? 0), members, depth);
    });
}

interface Forest {
  scopes: Map<string, ScopeLevel[]>;
  isNamed: Naming;
}

/** The groups among consecutive functions, from the given level of their scopes inwards. */
function groupsAt(nodes: NodeRecord[], level: number, depth: number, forest: Forest): Group[] {
  const levelOf = (node: NodeRecord) => forest.scopes.get(node.id)?.[level];
  return runsOf(nodes, (node) => levelOf(node)?.key ?? null).flatMap(({ items }) => {
    const found = levelOf(items[0]!);
    if (!found) return lineGroups(items, forest.isNamed, depth);
    if (items.length === 1) return [];
    const { kind, title, line, variable } = found;
    const within = groupsAt(items, level + 1, depth + 1, forest);
    const [only] = within;
    const children = only && only.nodes.length === items.length ? only.children : within;
    return [{ ...groupOf(kind, title, items, depth), line, variable, children }];
  });
}

/** All groups of a graph. Being consecutive in time, no path leaves one and comes back. */
export function groupsOf(trace: Trace, nodes: NodeRecord[], tensors: TensorRecord[]): Group[] {
  const names = new Set(tensors.filter((tensor) => tensor.names.length > 0).map((tensor) => tensor.id));
  const forest = { scopes: scopesOf(trace), isNamed: (id: string) => names.has(id) };
  return runsOf(nodes, (node) => node.pass_id ?? null).flatMap(({ key, items }) => {
    if (key === null) return groupsAt(items, 0, 0, forest);
    return items.length > 1 ? [groupOf('pass', key, items, 0)] : [];
  });
}

export interface Folding {
  folded: Group[];
  /** Unfolded groups that are framed, outermost first. */
  framed: Group[];
}

/** Modules, calls and turns are framed, so that a reader can fold them; a line only where one has unfolded it. */
function isFramed(group: Group, chosen: boolean | undefined): boolean {
  return chosen === false || !['line', 'pass'].includes(group.kind);
}

/** What the reader has folded (true) and unfolded (false), by group. */
export type Folds = Readonly<Record<string, boolean>>;

/** What folds by itself: groups that are so deep, and lines. */
export interface AutoFold {
  depth: number;
  lines: boolean;
}

/** The groups that are folded: as the reader chose, else as `automatic` says. */
export function foldAt(groups: Group[], folds: Folds, automatic: AutoFold): Folding {
  const folding: Folding = { folded: [], framed: [] };
  const visit = (group: Group): void => {
    const chosen = folds[group.id];
    const byItself =
      group.kind === 'pass' || (group.kind === 'line' ? automatic.lines : group.depth >= automatic.depth);
    if (chosen ?? byItself) {
      folding.folded.push(group);
      return;
    }
    if (isFramed(group, chosen)) folding.framed.push(group);
    group.children.forEach(visit);
  };
  groups.forEach(visit);
  return folding;
}

/** The ways to fold that are tried one after the other until the picture fits: nothing, lines, then ever larger groups. */
export function autoFoldsOf(groups: Group[]): AutoFold[] {
  const depthOf = (group: Group): number => Math.max(group.depth, ...group.children.map(depthOf));
  const deepest = Math.max(-1, ...groups.map(depthOf));
  return [
    { depth: Infinity, lines: false },
    { depth: Infinity, lines: true },
    ...Array.from({ length: deepest + 1 }, (_, k) => ({ depth: deepest - k, lines: true })),
  ];
}

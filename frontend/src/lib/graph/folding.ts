import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import { paragraphsOf } from './paragraphs';
import { scopesOf, type ScopeLevel } from './scopes';
import type { Turn } from '../trace/places';

/** Functions that fold into one box. Those of a turn, a call or a module may hold further groups. */
export interface Group {
  id: string;
  kind: 'line' | 'paragraph' | 'turn' | 'call' | 'module' | 'pass';
  /** The line's number, that of a paragraph's first and last, the turn's, the name of the function or module, or the id of the pass. */
  title: string;
  /** Of a turn: the line of its loop. */
  line: number;
  /** Of a turn: the loop's variable with its value, where there is a short one. */
  variable: string | null;
  nodes: NodeRecord[];
  children: Group[];
  /** How many groups it is in. */
  depth: number;
  /** Of a turn: where it stands in its loop, if no other turn is on screen. */
  turn: Turn | null;
  /** Of a module: its name in the one around it, and its class (`0 · Linear`). */
  caption: string;
}

/** With more tensors and functions than this on screen, groups fold by themselves. */
export const MOST_ELEMENTS = 32;

/** They then fold until there are no more than this: an overview, from which a reader goes on. */
export const FOLDED_ELEMENTS = 16;

type Naming = (tensor: string) => boolean;

function groupOf(kind: Group['kind'], title: string, nodes: NodeRecord[], depth: number): Group {
  return {
    id: '',
    kind,
    title,
    line: 0,
    variable: null,
    nodes,
    children: [],
    depth,
    turn: null,
    caption: '',
  };
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

/** What the turn with a place's id is shown as, where its loop shows one at a time. */
type ShownAs = (place: string) => Turn | null;

interface Forest {
  trace: Trace;
  scopes: Map<string, ScopeLevel[]>;
  isNamed: Naming;
  shownAs: ShownAs;
  /** The paths of modules that have leaves of their own. */
  owners: ReadonlySet<string>;
  /** How many functions there are. */
  count: number;
}

/** Long runs of statements fold by paragraphs. */
function statementGroups(nodes: NodeRecord[], depth: number, { trace, isNamed }: Forest): Group[] {
  const paragraphs = paragraphsOf(trace.source, nodes);
  if (paragraphs.length < 2) return lineGroups(nodes, isNamed, depth);
  return paragraphs.flatMap(({ title, nodes: members }) => {
    const lines = lineGroups(members, isNamed, depth + 1);
    return members.length < 2 ? [] : [{ ...groupOf('paragraph', title, members, depth), children: lines }];
  });
}

/** Is there a turn of a loop within a level that stands for all? */
function holdsTurn(nodes: NodeRecord[], level: number, { scopes, shownAs }: Forest): boolean {
  return nodes.some(({ id }) =>
    scopes
      .get(id)
      ?.slice(level + 1)
      .some(({ kind, key }) => kind === 'turn' && shownAs(key) !== null),
  );
}

/**
 * The groups among consecutive functions, from the given level of their scopes inwards. A function that trains, and in which
 * most of the picture happens, is no group: it stands for the program itself, as `main()` does.
 */
function groupsAt(nodes: NodeRecord[], level: number, depth: number, forest: Forest): Group[] {
  const levelOf = (node: NodeRecord) => forest.scopes.get(node.id)?.[level];
  return runsOf(nodes, (node) => levelOf(node)?.key ?? null).flatMap(({ items }) => {
    const found = levelOf(items[0]!);
    if (!found) return statementGroups(items, depth, forest);
    const { kind, title, line, variable, caption } = found;
    if (kind === 'pass') return items.length > 1 ? [groupOf('pass', title, items, depth)] : [];
    if (found.drives && (items.length * 2 >= forest.count || holdsTurn(items, level, forest)))
      return groupsAt(items, level + 1, depth, forest);
    const turn = forest.shownAs(found.key);
    const holds = kind === 'module' && forest.owners.has(title);
    if (items.length === 1 && !turn && !holds) return groupsAt(items, level + 1, depth, forest);
    const within = groupsAt(items, level + 1, depth + 1, forest);
    const [only] = within;
    const isSame = only?.nodes.length === items.length && !turn && !only.turn;
    const children = only && isSame ? only.children : within;
    return [{ ...groupOf(kind, title, items, depth), line, variable, caption, turn, children }];
  });
}

/** The paths of modules that have leaves of their own. */
export function ownersOf(tensors: TensorRecord[]): Set<string> {
  return new Set(
    tensors.flatMap(({ is_leaf, requires_grad, names }) => {
      const owner = ownerOf(names[0] ?? '');
      return is_leaf && requires_grad && owner !== '' ? [owner] : [];
    }),
  );
}

/** The path of the module that a parameter of this name belongs to. */
export function ownerOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

/** All groups of a graph. Being consecutive in time, no path leaves one and comes back. */
export function groupsOf(
  trace: Trace,
  nodes: NodeRecord[],
  tensors: TensorRecord[],
  scopes: Map<string, ScopeLevel[]> = scopesOf(trace),
  shownAs: ShownAs = () => null,
): Group[] {
  const names = new Set(tensors.filter((tensor) => tensor.names.length > 0).map((tensor) => tensor.id));
  const owners = ownersOf(tensors);
  const isNamed = (id: string) => names.has(id);
  const forest: Forest = { trace, scopes, isNamed, shownAs, owners, count: nodes.length };
  return identified(groupsAt(nodes, 0, 0, forest));
}

/** Ids that are the same in all turns of a loop: the kind, the title, and how many of these there are before. */
function identified(groups: Group[]): Group[] {
  const times = new Map<string, number>();
  const name = (group: Group): void => {
    const { kind, title, turn } = group;
    const key = turn ? `${kind}:line ${turn.line}` : `${kind}:${title}`;
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    group.id = `${key}#${before}`;
    group.children.forEach(name);
  };
  groups.forEach(name);
  return groups;
}

export interface Folding {
  folded: Group[];
  /** Unfolded groups that are framed, outermost first. */
  framed: Group[];
}

/** Modules, calls and turns are framed, so that a reader can fold them; a line only where one has unfolded it. */
function isFramed(group: Group, chosen: boolean | undefined): boolean {
  if (chosen === false) return true;
  return !['line', 'paragraph', 'pass'].includes(group.kind) && !isContainer(group);
}

/** Does a module only call those in it, one after the other? */
function isContainer({ kind, caption, children }: Group): boolean {
  return kind === 'module' && children.length > 0 && /· (Sequential|ModuleList)$/.test(caption);
}

/** What the reader has folded (true) and unfolded (false), by group. */
export type Folds = Readonly<Record<string, boolean>>;

/** What folds by itself: groups that are so deep, and lines. */
export interface AutoFold {
  depth: number;
  lines: boolean;
  /** Groups that are open all the same, as there is room. */
  open?: ReadonlySet<string>;
}

/** The groups that are folded: as the reader chose, else as `automatic` says. */
export function foldAt(groups: Group[], folds: Folds, automatic: AutoFold): Folding {
  const folding: Folding = { folded: [], framed: [] };
  const visit = (group: Group): void => {
    const chosen = folds[group.id];
    const byItself =
      group.kind === 'pass' || (group.kind === 'line' ? automatic.lines : group.depth >= automatic.depth);
    if (!group.turn && (chosen ?? (byItself && !automatic.open?.has(group.id)))) {
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

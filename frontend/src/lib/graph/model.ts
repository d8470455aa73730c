import type { Edge, NodeRecord, TensorRecord, Trace } from '../../api/types';
import { groupBy } from '../group_by';
import { opName, writtenTo } from '../trace/names';
import { oneLine } from '../trace/short_code';
import { isCreation } from '../trace/visibility';
import { contextOf, type GraphContext } from './context';
import {
  autoFoldsOf,
  foldAt,
  FOLDED_ELEMENTS,
  groupsOf,
  MOST_ELEMENTS,
  type AutoFold,
  type Folding,
  type Folds,
  type Group,
} from './folding';
import { framesOf } from './frames';
import { hiddenTensors } from './hiding';
import { absorbedNodes, onlyResult } from './merging';
import { shelvesOf } from './shelves';
import type { Card, FoldedGroup, GraphModel, Link, Pill, Style, Tie } from './types';

function labelOf(tensor: TensorRecord, node: NodeRecord | undefined): string {
  const name = tensor.names[0];
  if (name) return name;
  if (node && isCreation(node)) return opName(node.op);
  const expression = oneLine(tensor.expression);
  // What a loop takes from an iterator was made in its first line.
  const from = /^(?:async )?for .+? in (.+?):/.exec(expression)?.[1];
  return (from ?? expression) || (node ? opName(node.op) : tensor.id);
}

/** How often each name is used among the cards, and by which card last. */
function nameUse(tensors: TensorRecord[]): Map<string, { times: number; last: string; versions: boolean }> {
  const use = new Map<string, { times: number; last: string; versions: boolean }>();
  for (const tensor of tensors) {
    const name = tensor.names[0];
    if (!name) continue;
    const before = use.get(name);
    const versions = (before?.versions ?? false) || tensor.version > 0;
    use.set(name, { times: (before?.times ?? 0) + 1, last: tensor.id, versions });
  }
  return use;
}

function cardsOf(
  context: GraphContext,
  hidden: ReadonlySet<string>,
  shelves: Map<string, string>,
  isGathered: boolean,
): Card[] {
  const tensors = context.tensors.filter((tensor) => !hidden.has(tensor.id));
  const use = nameUse(tensors);
  return tensors.map((tensor) => {
    const node = context.nodeById.get(tensor.node ?? '');
    const bucket = tensor.is_leaf && tensor.requires_grad;
    const same = use.get(tensor.names[0] ?? '');
    const several = same !== undefined && same.times > 1;
    return {
      id: tensor.id,
      key: tensor.id,
      tensor,
      label: labelOf(tensor, node),
      version: several && tensor.version > 0 ? tensor.version : null,
      compact: tensor.names.length === 0 && !bucket,
      constant: !tensor.requires_grad,
      bucket,
      gradient: context.reached.has(tensor.id) && !(bucket && !context.returned),
      ambiguous: several && same.last !== tensor.id,
      shelf: shelves.get(tensor.id) ?? null,
      gathered: isGathered && bucket && !context.drawn.has(tensor.node ?? ''),
      maker: null,
      from: null,
      gap: false,
    };
  });
}

function pillsOf(
  context: GraphContext,
  folded: Map<string, string>,
  absorbed: Map<string, NodeRecord>,
): Pill[] {
  const belonging = groupBy(absorbed.keys(), (id) => absorbed.get(id)!.id);
  const shapes = new Map(context.tensors.map((tensor) => [tensor.id, tensor.shape]));
  return context.nodes
    .filter((node) => !folded.has(node.id))
    .map((node) => ({
      id: node.id,
      node,
      label: node.kind === 'copy_slices' ? writtenTo(node, context.trace) : opName(node.op),
      region: node.region && { ...node.region, shape: shapes.get(node.inputs[0] ?? '') ?? [] },
      constant: node.kind === 'constant',
      absorbed: (belonging.get(node.id) ?? []).map((id) => context.nodeById.get(id)!),
    }));
}

function foldedGroupsOf(
  context: GraphContext,
  groups: Group[],
  hidden: Map<string, string>,
  onShelf: ReadonlyMap<string | null, Card[]>,
): FoldedGroup[] {
  return groups.map((group) => {
    const inside = new Set(group.nodes.map((node) => node.id));
    const out = context.tensors.filter(
      (tensor) =>
        hidden.has(tensor.id) &&
        inside.has(tensor.node ?? '') &&
        (context.users.get(tensor.id) ?? []).some((node) => !inside.has(node.id)),
    );
    const value = out.length === 1 ? (out[0] ?? null) : null;
    return {
      id: group.id,
      group,
      value,
      gradient: value !== null && context.reached.has(value.id),
      shelf: (onShelf.get(group.id) ?? []).map(({ id }) => id),
    };
  });
}

function shownEdges(context: GraphContext): Edge[] {
  const nodes = new Set(context.nodes.map((node) => node.id));
  const known = (id: string) => context.kept.has(id) || nodes.has(id);
  return context.trace.edges.filter((edge) => known(edge.source) && known(edge.target));
}

/** What a parameter on the shelf of a folded module is connected to leads to the module. */
function linksOf(
  context: GraphContext,
  elementOf: Map<string, string>,
  foldedIds: Set<string>,
  shelves: Map<string, string>,
): Link[] {
  const links = new Map<string, Link>();
  const makers = new Map(context.tensors.map(({ id, node }) => [id, node]));
  const requires = new Map(context.tensors.map((tensor) => [tensor.id, tensor.requires_grad]));
  for (const edge of shownEdges(context)) {
    const shelf = shelves.get(edge.source) ?? '';
    const source = foldedIds.has(shelf) ? shelf : (elementOf.get(edge.source) ?? edge.source);
    const target = elementOf.get(edge.target) ?? edge.target;
    // What a folded group has made and reads itself leaves it once.
    const maker = makers.get(edge.source);
    if (source === target || (foldedIds.has(target) && maker && elementOf.get(maker) === target)) continue;
    const bundled = foldedIds.has(source) || foldedIds.has(target);
    const operand = edge.input === null || foldedIds.has(target) ? '' : edge.input;
    const key = bundled ? `${source}>${target}:${operand}` : edge.id;
    const node = context.nodeById.get(edge.input === null ? edge.source : edge.target);
    const constant = !requires.get(edge.tensor) || node?.kind === 'constant';
    const flies = edge.input !== null;
    const link = links.get(key) ?? { id: key, source, target, edges: [], operand: null, flies, constant };
    link.edges.push(edge.id);
    link.constant &&= constant;
    if (edge.input !== null && !foldedIds.has(target)) link.operand = { index: edge.input, of: 0 };
    links.set(key, link);
  }
  return rankOperands([...links.values()]);
}

/** Operands keep their order, counted among these links. */
export function rankOperands<Ranked extends Pick<Link, 'target' | 'operand'>>(links: Ranked[]): Ranked[] {
  const operands = links.filter(({ operand }) => operand !== null);
  for (const group of groupBy(operands, ({ target }) => target).values()) {
    group.sort((x, y) => (x.operand?.index ?? 0) - (y.operand?.index ?? 0));
    group.forEach((link, index) => (link.operand = { index, of: group.length }));
  }
  return links;
}

/** A view is tied to what it was made from, where that is drawn, else to the base of the storage. */
function tiesOf(context: GraphContext, cards: Card[]): Tie[] {
  const shown = new Map(cards.map((card) => [card.id, card.tensor]));
  return cards.flatMap(({ id, tensor }) => {
    if (!tensor.view_of) return [];
    const made = context.nodeById.get(tensor.node ?? '')?.inputs[0] ?? '';
    const near = shown.get(made);
    const base =
      near && (near.id === tensor.view_of || near.view_of === tensor.view_of) ? near.id : tensor.view_of;
    return shown.has(base) ? [{ id: `tie:${id}`, base, view: id }] : [];
  });
}

/** As little is folded as lets the picture fit, and on that what the reader has chosen. */
export function foldingOf(context: GraphContext, groups: Group[], folds: Folds): Folding {
  const candidates = autoFoldsOf(groups);
  const fits = (each: AutoFold, most: number) => sizeOf(context, foldAt(groups, {}, each)) <= most;
  const automatic =
    candidates.find((each, k) => fits(each, k === 0 ? MOST_ELEMENTS : FOLDED_ELEMENTS)) ?? candidates.at(-1)!;
  return foldAt(groups, folds, automatic);
}

function foldedNodes({ folded }: Folding): Map<string, string> {
  return new Map(folded.flatMap((group) => group.nodes.map((node) => [node.id, group.id])));
}

/** How many elements a picture has that is folded so. */
export function sizeOf(context: GraphContext, folding: Folding): number {
  const inside = foldedNodes(folding);
  const hidden = hiddenTensors(context, folding.folded, inside);
  const { tensors, nodes } = context;
  return tensors.length - hidden.size + nodes.length - inside.size + folding.folded.length;
}

/** The graph to draw, with the groups in `folds` folded or unfolded and all others as their number demands. */
export function buildGraphModel(trace: Trace, folds: Folds = {}): GraphModel {
  const context = contextOf(trace);
  const groups = groupsOf(trace, context.nodes, context.tensors);
  return modelOf(context, foldingOf(context, groups, folds), 'cards');
}

/** Draws functions with their only results as one: by the function's id, the result's. */
function mergeResults(context: GraphContext, cards: Card[], pills: Pill[]): Map<string, string> {
  const cardById = new Map(cards.map((card) => [card.id, card]));
  const merged = new Map<string, string>();
  for (const pill of pills) {
    const card = cardById.get(onlyResult(context, pill.node) ?? '');
    if (!card) continue;
    card.maker = pill;
    merged.set(pill.id, card.id);
  }
  return merged;
}

/** The graph to draw, folded so. Leaves stand on the shelves of their modules, or all are gathered above the picture. */
export function modelOf(
  context: GraphContext,
  folding: Folding,
  style: Style,
  isGathered = false,
): GraphModel {
  const folded = foldedNodes(folding);
  const hidden = hiddenTensors(context, folding.folded, folded);
  const absorbed = style === 'rows' ? absorbedNodes(context) : new Map<string, NodeRecord>();
  for (const [id, user] of absorbed)
    if (!folded.has(id)) {
      folded.set(id, user.id);
      hidden.set(context.nodeById.get(id)!.outputs[0]!, user.id);
    }
  const owned = style === 'rows' ? shelvesOf(context, folding) : new Map<string, string>();
  const shelves = isGathered ? new Map<string, string>() : owned;
  const cards = cardsOf(context, new Set(hidden.keys()), shelves, isGathered);
  const onShelf = groupBy(cards, ({ shelf }) => shelf);
  const pills = pillsOf(context, folded, absorbed);
  const elementOf = new Map([
    ...folded,
    ...hidden,
    ...[...cards, ...pills].map(({ id }) => [id, id] as const),
  ]);
  const merged = style === 'rows' ? mergeResults(context, cards, pills) : new Map<string, string>();
  for (const [pill, card] of merged) elementOf.set(pill, card);
  for (const [id, element] of elementOf) elementOf.set(id, elementOf.get(element) ?? element);
  const foldedGroups = foldedGroupsOf(context, folding.folded, hidden, onShelf);
  const links = linksOf(context, elementOf, new Set(foldedGroups.map(({ id }) => id)), shelves);
  if (isGathered) for (const link of links) link.quiet = owned.has(link.source);
  const groupFrames = framesOf(context, folding.framed, elementOf, onShelf, style);
  return {
    style,
    cards,
    pills: pills.filter(({ id }) => !merged.has(id)),
    foldedGroups,
    links,
    ties: tiesOf(context, cards),
    groupFrames,
    elementOf,
  };
}

/** The records whose states a picture needs: of folded groups, those of their functions and of what they hand on. */
export function shownBy({ cards, pills, foldedGroups, links }: GraphModel): {
  tensors: string[];
  nodes: string[];
  edges: string[];
} {
  const makers = cards.flatMap(({ maker }) => maker ?? []);
  return {
    tensors: [...cards.map(({ id }) => id), ...foldedGroups.flatMap(({ value }) => value?.id ?? [])],
    nodes: [
      ...[...pills, ...makers].flatMap(({ id, absorbed }) => [id, ...absorbed.map((node) => node.id)]),
      ...foldedGroups.flatMap(({ group }) => group.nodes.map(({ id }) => id)),
    ],
    edges: links.flatMap(({ edges }) => edges),
  };
}

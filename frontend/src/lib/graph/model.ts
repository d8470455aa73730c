import type { Edge, NodeRecord, Region, TensorRecord, Trace } from '../../api/types';
import {
  cutsOf,
  foldAt,
  FOLDED_ELEMENTS,
  groupsOf,
  MOST_ELEMENTS,
  type Cut,
  type Folding,
  type Group,
} from './folding';
import { belongsTo, hiddenTensors } from './hiding';
import { isCreation, visible } from '../trace/visibility';

/** A tensor of the graph. */
export interface Card {
  kind: 'card';
  id: string;
  tensor: TensorRecord;
  /** The tensor's name, or the expression that made it. */
  label: string;
  named: boolean;
  /** Number of the version, where a name stands for several; null shows the shape. */
  version: number | null;
  /** Unnamed values between functions are drawn small. */
  compact: boolean;
  /** No gradient flows here. */
  constant: boolean;
  /** It is a leaf that requires grad, so it has a `.grad`. */
  bucket: boolean;
  /** A gradient passes here, or was asked for here. */
  gradient: boolean;
  /** It shares a name with another card, so its line tells them apart. */
  ambiguous: boolean;
}

/** A function of the graph. */
export interface Pill {
  kind: 'pill';
  id: string;
  node: NodeRecord;
  label: string;
  /** What a CopySlices writes, with the shape of the whole tensor. */
  region: Region | null;
  constant: boolean;
}

/** A folded group. `value` is the unnamed tensor that it hands on, where there is exactly one. */
export interface Box {
  kind: 'box';
  id: string;
  group: Group;
  value: TensorRecord | null;
  /** A gradient passes at that tensor. */
  gradient: boolean;
}

/** A drawn connection. Edges that a fold brings together share one; it then carries several ids. */
export interface Link {
  id: string;
  source: string;
  target: string;
  edges: string[];
  /** Which operand it is, and how many the function shows; null on the way out of a function. */
  operand: { index: number; of: number } | null;
  /** It leads into a function: the shares of gradients fly here. */
  flies: boolean;
  constant: boolean;
}

/** Two tensors of one storage. */
export interface Tie {
  id: string;
  base: string;
  view: string;
}

/** The graph as it is drawn: independent of time and of positions. */
export interface Model {
  cards: Card[];
  pills: Pill[];
  boxes: Box[];
  links: Link[];
  ties: Tie[];
  /** Groups that are unfolded: frames around their members, outer ones first. */
  frames: Frame[];
  /** The drawn element that stands for a tensor or a function. */
  elementOf: Map<string, string>;
}

/** The frame of an unfolded group. */
export interface Frame {
  group: Group;
  /** All elements within, those of inner frames too. */
  members: string[];
  /** The id of the frame around it. */
  parent: string | null;
  /** How many frames there are within, one in the other. */
  layers: number;
}

/** What the reader has folded (true) and unfolded (false), by group. */
export type Folds = Readonly<Record<string, boolean>>;

export interface Context {
  trace: Trace;
  tensors: TensorRecord[];
  nodes: NodeRecord[];
  nodeById: Map<string, NodeRecord>;
  kept: Set<string>;
  /** The functions that a tensor goes into. */
  users: Map<string, NodeRecord[]>;
  reached: Set<string>;
  asked: Set<string>;
  /** Does the program call `autograd.grad`? Then leaves receive gradients that are no `.grad`. */
  returned: boolean;
}

function contextOf(trace: Trace): Context {
  const { tensors, nodes } = visible(trace);
  const asked = trace.passes.flatMap((pass) => pass.roots.map((root) => root.tensor));
  if (trace.error?.tensor) asked.push(trace.error.tensor);
  return {
    trace,
    tensors,
    nodes,
    nodeById: new Map(trace.nodes.map((node) => [node.id, node])),
    kept: new Set(tensors.map((tensor) => tensor.id)),
    users: usersOf(nodes),
    reached: gradientHolders(trace),
    asked: new Set(asked),
    returned: trace.passes.some((pass) => pass.kind === 'grad'),
  };
}

function usersOf(nodes: NodeRecord[]): Map<string, NodeRecord[]> {
  const users = new Map<string, NodeRecord[]>();
  for (const node of nodes)
    for (const input of node.inputs) {
      const known = users.get(input);
      if (known) known.push(node);
      else users.set(input, [node]);
    }
  return users;
}

/** Tensors at which a gradient is shown that is no `.grad`. */
function gradientHolders(trace: Trace): Set<string> {
  const holders = new Set<string>();
  const target = new Map(trace.edges.map((edge) => [edge.id, edge.tensor]));
  for (const pass of trace.passes) {
    const summed = new Set(pass.accumulations.map((each) => each.tensor));
    const sent = pass.steps.flatMap((step) => step.grad_inputs.map((share) => target.get(share.edge) ?? ''));
    for (const id of [...Object.keys(pass.gradients), ...sent]) if (!summed.has(id)) holders.add(id);
  }
  const { error } = trace;
  if (error?.code === 'nonscalar-backward' && error.tensor) holders.add(error.tensor);
  return holders;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function labelOf(tensor: TensorRecord, node: NodeRecord | undefined): string {
  const name = tensor.names[0];
  if (name) return name;
  if (node && isCreation(node)) return opName(node.op);
  return oneLine(tensor.expression) || (node ? opName(node.op) : tensor.id);
}

/** What a reader calls an operation: the engine tells its overloads apart by endings. */
export function opName(op: string): string {
  return op.replace(/_(scalar|tensor|all|dim|list|base)$/, '').replace(/^(norm|split)_.*$/, '$1');
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

function cardsOf(context: Context, hidden: Set<string>): Card[] {
  const tensors = context.tensors.filter((tensor) => !hidden.has(tensor.id));
  const use = nameUse(tensors);
  return tensors.map((tensor) => {
    const node = context.nodeById.get(tensor.node ?? '');
    const bucket = tensor.is_leaf && tensor.requires_grad;
    const same = use.get(tensor.names[0] ?? '');
    const several = same !== undefined && same.times > 1;
    return {
      kind: 'card',
      id: tensor.id,
      tensor,
      label: labelOf(tensor, node),
      named: tensor.names.length > 0,
      version: several && tensor.version > 0 ? tensor.version : null,
      compact: tensor.names.length === 0 && !bucket,
      constant: !tensor.requires_grad,
      bucket,
      gradient: context.reached.has(tensor.id) && !(bucket && !context.returned),
      ambiguous: several && same.last !== tensor.id,
    };
  });
}

/** What a CopySlices writes: `y[0] =`. */
export function writtenTo(node: NodeRecord, trace: Trace): string {
  const line = trace.source.split('\n')[(node.span?.line ?? 0) - 1] ?? '';
  const target = /^\s*([^=]*\])\s*[-+*/]?=(?!=)/.exec(line.slice(0, 400))?.[1];
  return target ? `${oneLine(target)} =` : node.op;
}

function pillsOf(context: Context, folded: Map<string, string>): Pill[] {
  const shapes = new Map(context.tensors.map((tensor) => [tensor.id, tensor.shape]));
  return context.nodes
    .filter((node) => !folded.has(node.id))
    .map((node) => ({
      kind: 'pill',
      id: node.id,
      node,
      label: node.kind === 'copy_slices' ? writtenTo(node, context.trace) : opName(node.op),
      region: node.region && { ...node.region, shape: shapes.get(node.inputs[0] ?? '') ?? [] },
      constant: node.kind === 'constant',
    }));
}

function boxesOf(context: Context, groups: Group[], hidden: Map<string, string>): Box[] {
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
      kind: 'box',
      id: group.id,
      group,
      value,
      gradient: value !== null && context.reached.has(value.id),
    };
  });
}

function shownEdges(context: Context): Edge[] {
  const nodes = new Set(context.nodes.map((node) => node.id));
  const known = (id: string) => context.kept.has(id) || nodes.has(id);
  return context.trace.edges.filter((edge) => known(edge.source) && known(edge.target));
}

function linksOf(context: Context, elementOf: Map<string, string>, boxes: Set<string>): Link[] {
  const links = new Map<string, Link>();
  const requires = new Map(context.tensors.map((tensor) => [tensor.id, tensor.requires_grad]));
  for (const edge of shownEdges(context)) {
    const source = elementOf.get(edge.source) ?? edge.source;
    const target = elementOf.get(edge.target) ?? edge.target;
    if (source === target) continue;
    const bundled = boxes.has(source) || boxes.has(target);
    const operand = edge.input === null || boxes.has(target) ? '' : edge.input;
    const key = bundled ? `${source}>${target}:${operand}` : edge.id;
    const node = context.nodeById.get(edge.input === null ? edge.source : edge.target);
    const constant = !requires.get(edge.tensor) || node?.kind === 'constant';
    const flies = edge.input !== null;
    const link = links.get(key) ?? { id: key, source, target, edges: [], operand: null, flies, constant };
    link.edges.push(edge.id);
    link.constant &&= constant;
    if (edge.input !== null && !boxes.has(target)) link.operand = { index: edge.input, of: 0 };
    links.set(key, link);
  }
  return rankOperands([...links.values()]);
}

/** Operands keep their order, counted among those that are drawn. */
function rankOperands(links: Link[]): Link[] {
  const byTarget = new Map<string, Link[]>();
  for (const link of links)
    if (link.operand) byTarget.set(link.target, [...(byTarget.get(link.target) ?? []), link]);
  for (const group of byTarget.values()) {
    group.sort((x, y) => (x.operand?.index ?? 0) - (y.operand?.index ?? 0));
    group.forEach((link, index) => (link.operand = { index, of: group.length }));
  }
  return links;
}

/** A view is tied to what it was made from, where that is drawn, else to the base of the storage. */
function tiesOf(context: Context, cards: Card[]): Tie[] {
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

function isWithin(context: Context, tensor: TensorRecord, inside: Set<string>): boolean {
  const users = context.users.get(tensor.id) ?? [];
  const staysInside = users.length > 0 && users.every((node) => inside.has(node.id));
  if (inside.has(tensor.node ?? '')) return staysInside || tensor.names.length === 0;
  return staysInside && belongsTo(tensor, users);
}

function framesOf(context: Context, framed: Group[], elementOf: Map<string, string>): Frame[] {
  const frames = framed.map((group): Frame => {
    const inside = new Set(group.nodes.map((node) => node.id));
    const tensors = context.tensors.filter((tensor) => isWithin(context, tensor, inside));
    const drawn = [...inside, ...tensors.map((tensor) => tensor.id)].map((id) => elementOf.get(id) ?? id);
    return { group, members: [...new Set(drawn)], parent: null, layers: 0 };
  });
  const around = new Map(frames.flatMap((frame) => frame.group.children.map((child) => [child.id, frame])));
  for (const frame of frames.toReversed()) {
    const outer = around.get(frame.group.id);
    frame.parent = outer?.group.id ?? null;
    if (outer) outer.layers = Math.max(outer.layers, frame.layers + 1);
  }
  return frames;
}

/** As little is folded as lets the picture fit, and on that what the reader has chosen. */
function foldingOf(context: Context, folds: Folds): Folding {
  const groups = groupsOf(context.trace, context.nodes, context.tensors);
  const cuts = cutsOf(groups);
  const fits = (each: Cut, most: number) => sizeOf(context, foldAt(groups, {}, each)) <= most;
  const cut = cuts.find((each, k) => fits(each, k === 0 ? MOST_ELEMENTS : FOLDED_ELEMENTS)) ?? cuts.at(-1)!;
  return foldAt(groups, folds, cut);
}

function foldedNodes({ folded }: Folding): Map<string, string> {
  return new Map(folded.flatMap((group) => group.nodes.map((node) => [node.id, group.id])));
}

/** How many elements a picture has that is folded so. */
function sizeOf(context: Context, folding: Folding): number {
  const inside = foldedNodes(folding);
  const hidden = hiddenTensors(context, folding.folded, inside);
  const { tensors, nodes } = context;
  return tensors.length - hidden.size + nodes.length - inside.size + folding.folded.length;
}

/** The graph to draw, with the groups in `folds` folded or unfolded and all others as their number demands. */
export function buildModel(trace: Trace, folds: Folds = {}): Model {
  const context = contextOf(trace);
  const folding = foldingOf(context, folds);
  const folded = foldedNodes(folding);
  const hidden = hiddenTensors(context, folding.folded, folded);
  const cards = cardsOf(context, new Set(hidden.keys()));
  const pills = pillsOf(context, folded);
  const elementOf = new Map([
    ...folded,
    ...hidden,
    ...[...cards, ...pills].map(({ id }) => [id, id] as const),
  ]);
  const boxes = boxesOf(context, folding.folded, hidden);
  const links = linksOf(context, elementOf, new Set(boxes.map((box) => box.id)));
  const frames = framesOf(context, folding.framed, elementOf);
  return { cards, pills, boxes, links, ties: tiesOf(context, cards), frames, elementOf };
}

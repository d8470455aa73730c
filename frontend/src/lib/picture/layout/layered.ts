import { groupBy } from '../../group_by';
import type { LayoutDraft, LayoutLink, LayoutNode, LayoutRequest, Rect } from './types';

/** Depth of every node: one more than the deepest node before it. */
function depths(
  nodes: LayoutNode[],
  incoming: Map<string, LayoutLink[]>,
  outgoing: Map<string, LayoutLink[]>,
) {
  const depth = new Map<string, number>();
  const open = new Map(nodes.map(({ id }) => [id, incoming.get(id)?.length ?? 0]));
  const ready = nodes.filter(({ id }) => open.get(id) === 0).map(({ id }) => id);
  for (let k = 0; k < ready.length; k += 1) {
    const id = ready[k] ?? '';
    const mine = depth.get(id) ?? 0;
    depth.set(id, mine);
    for (const { target } of outgoing.get(id) ?? []) {
      depth.set(target, Math.max(depth.get(target) ?? 0, mine + 1));
      const left = (open.get(target) ?? 1) - 1;
      open.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  return { depth, order: ready };
}

/** Nodes without input stand just above the first function that needs them. */
function lower(
  order: string[],
  depth: Map<string, number>,
  incoming: Map<string, LayoutLink[]>,
  outgoing: Map<string, LayoutLink[]>,
) {
  for (const id of order) {
    const targets = outgoing.get(id) ?? [];
    if ((incoming.get(id) ?? []).length > 0 || targets.length === 0) continue;
    depth.set(id, Math.min(...targets.map(({ target }) => (depth.get(target) ?? 1) - 1)));
  }
}

/** Each layer in the order of the average position of what it depends on, operands left to right. */
function arrangeLayers(
  layers: LayoutNode[][],
  incoming: Map<string, LayoutLink[]>,
  outgoing: Map<string, LayoutLink[]>,
): void {
  const rank = new Map<string, number>();
  const number = (layer: LayoutNode[]) => layer.forEach(({ id }, k) => rank.set(id, k));
  const sort = (layer: LayoutNode[], links: Map<string, LayoutLink[]>, end: 'source' | 'target') => {
    const weight = (id: string) => {
      const around = links.get(id) ?? [];
      const places = around.map((link) => (rank.get(link[end]) ?? 0) + 0.1 * (link.operand?.index ?? 0));
      return places.length ? places.reduce((x, y) => x + y, 0) / places.length : (rank.get(id) ?? 0);
    };
    const weights = new Map(layer.map(({ id }) => [id, weight(id)]));
    layer.sort((x, y) => (weights.get(x.id) ?? 0) - (weights.get(y.id) ?? 0));
    number(layer);
  };
  layers.forEach(number);
  for (const layer of layers.slice(1)) sort(layer, incoming, 'source');
  for (const layer of layers.slice(0, -1).reverse()) sort(layer, outgoing, 'target');
}

function place(
  layers: LayoutNode[][],
  request: LayoutRequest,
  flies: (layer: LayoutNode[]) => boolean,
): Record<string, Rect> {
  const places: Record<string, Rect> = {};
  const widths = layers.map((layer) =>
    layer.reduce((sum, node) => sum + node.width + request.space, -request.space),
  );
  const widest = Math.max(0, ...widths);
  let y = 0;
  layers.forEach((layer, k) => {
    if (k > 0) y += flies(layer) ? request.flight : request.gap;
    const tallest = Math.max(0, ...layer.map((node) => node.height));
    let x = (widest - (widths[k] ?? 0)) / 2;
    for (const { id, width, height } of layer) {
      places[id] = { x, y: y + (tallest - height) / 2, width, height };
      x += width + request.space;
    }
    y += tallest;
  });
  return places;
}

/** Layers by depth, in linear time but for the sorting: for graphs that are too large for Graphviz. */
export function layOutInLayers(request: LayoutRequest): LayoutDraft {
  const { nodes, links } = request;
  const incoming = groupBy(links, ({ target }) => target);
  const outgoing = groupBy(links, ({ source }) => source);
  const { depth, order } = depths(nodes, incoming, outgoing);
  lower(order, depth, incoming, outgoing);
  const layers: LayoutNode[][] = [];
  for (const node of nodes) (layers[depth.get(node.id) ?? 0] ??= []).push(node);
  const filled = Array.from(layers, (layer) => layer ?? []).filter((layer) => layer.length > 0);
  arrangeLayers(filled, incoming, outgoing);
  const flies = (layer: LayoutNode[]) =>
    layer.some(({ id }) => (incoming.get(id) ?? []).some((link) => link.flies));
  return { places: place(filled, request, flies), routes: {} };
}

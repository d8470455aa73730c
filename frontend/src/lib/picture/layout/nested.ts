import { Layers, type Box, type BoxLink } from './layers';
import { BESIDE, INSIDE } from './spacing';
import type {
  Curve,
  LayoutCluster,
  LayoutDraft,
  LayoutLink,
  LayoutNode,
  LayoutRequest,
  Point,
  Rect,
} from './types';

/** Links between functions want to be straight, those from leaves and constants less so. */
const STRAIGHT = { chain: 8, other: 1 };

/** One frame, or the whole picture, laid out: its boxes stand at their places relative to the corner. */
interface Level {
  box: Box;
  cluster: LayoutCluster | null;
  layers: Layers;
  inner: Level[];
  boxes: Map<string, Box>;
  /** Links that go through lanes. */
  long: { ids: LayoutLink[]; lanes: Box[] }[];
  content: Point;
}

/** The links of a level, and the boxes at which links from outside enter or leave. */
interface LevelLinks {
  links: { link: BoxLink; ids: LayoutLink[] }[];
  entered: Set<Box>;
  left: Set<Box>;
}

/**
 * Frames within frames, each laid out by itself and then placed as one box: linear but for the sorting, and always
 * the same for the same graph. Parameters stand on the shelf of their module, right of the functions.
 */
export class NestedLayout {
  private readonly nodes: Map<string, LayoutNode>;
  private readonly home = new Map<string, string>();
  private readonly shelved = new Set<string>();
  /** By node that stands in a box above all else: that box, of which its links are. */
  private readonly packed = new Map<string, string>();
  /** What stands beside other nodes, and by node what stands beside it. */
  private readonly aside = new Set<string>();
  private readonly besides = new Map<string, LayoutNode[]>();
  private readonly parents: Map<string, string | null>;
  private readonly chains = new Map<string, string[]>();
  private readonly made: Set<string>;
  private readonly places: Record<string, Rect> = {};
  private readonly frames: Record<string, Rect> = {};
  private readonly routes: Record<string, Curve> = {};

  constructor(private readonly request: LayoutRequest) {
    const { nodes, clusters, links } = request;
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    // Outer frames come first: the last that names a node is the innermost.
    for (const { id, members } of clusters) for (const member of members) this.home.set(member, id);
    for (const { id, shelf } of clusters)
      for (const each of shelf ?? []) {
        this.shelved.add(each);
        this.home.set(each, id);
      }
    for (const node of nodes) {
      if (node.within && this.nodes.get(node.within.box)?.isFirst) this.packed.set(node.id, node.within.box);
      if (node.within) this.shelved.add(node.id);
      if (!node.beside) continue;
      this.aside.add(node.id);
      this.besides.set(node.beside, [...(this.besides.get(node.beside) ?? []), node]);
    }
    this.parents = new Map(clusters.map(({ id, parent }) => [id, parent]));
    this.made = new Set(links.map(({ target }) => target));
  }

  draft(): LayoutDraft {
    const root = this.level(null, this.request.room ?? Infinity);
    this.spread(root, { x: 0, y: 0 });
    for (const { id, within, width, height } of this.request.nodes) {
      const box = within && this.places[within.box];
      if (box) this.places[id] = { x: box.x + within.x, y: box.y + within.y, width, height };
    }
    return { places: this.places, routes: this.routes, frames: this.frames };
  }

  /** The frames around an element, outermost first. */
  private around(id: string): string[] {
    const known = this.chains.get(id);
    if (known) return known;
    const home = this.home.get(id) ?? this.parents.get(id) ?? null;
    const chain = home === null ? [] : [...this.around(home), home];
    this.chains.set(id, chain);
    return chain;
  }

  private level(cluster: LayoutCluster | null, whole: number): Level {
    const id = cluster?.id ?? null;
    const shelf = cluster ? this.shelfOf(cluster).width : 0;
    const room = cluster ? whole - 2 * INSIDE.side - (shelf > 0 ? INSIDE.shelf + shelf : 0) : whole;
    const inner = this.request.clusters
      .filter(({ parent }) => parent === id)
      .map((each) => this.level(each, room));
    const boxes = new Map<string, Box>();
    for (const { id: node, width, height, isFirst = false } of this.request.nodes) {
      if (this.shelved.has(node) || this.aside.has(node) || (this.home.get(node) ?? null) !== id) continue;
      const more = this.besides.get(node) ?? [];
      const box = { id: node, width, height, inlet: width / 2, outlet: width / 2, x: 0, y: 0, isFirst };
      for (const each of more) {
        box.width += BESIDE + each.width;
        box.height = Math.max(box.height, each.height);
      }
      boxes.set(node, box);
    }
    for (const { box } of inner) boxes.set(box.id, box);
    const found = this.linksAt(id, boxes);
    const links = found.links.map(({ link }) => link);
    const { space, gap } = this.request;
    const layers = new Layers([...boxes.values()], links, { space, gap, room });
    const long = found.links.flatMap(({ link, ids }) => {
      const lanes = layers.lanes.get(link);
      return lanes ? [{ ids, lanes }] : [];
    });
    return { cluster, layers, inner, boxes, long, ...this.framed(cluster, layers, boxes, found) };
  }

  /** The links between the boxes of a level: those that lead into one box from another are one. */
  private linksAt(level: string | null, boxes: Map<string, Box>): LevelLinks {
    const found = new Map<string, { link: BoxLink; ids: LayoutLink[] }>();
    const entered = new Set<Box>();
    const left = new Set<Box>();
    const standing = (id: string): Box | null => {
      const frames = this.around(id);
      const at = level === null ? 0 : frames.indexOf(level) + 1;
      return level !== null && at === 0 ? null : (boxes.get(frames[at] ?? id) ?? null);
    };
    for (const each of this.request.links) {
      const from = this.packed.get(each.source) ?? each.source;
      if (this.shelved.has(from) || this.aside.has(from)) continue;
      const [source, target] = [standing(from), standing(each.target)];
      if (target && !source) entered.add(target);
      if (source && !target) left.add(source);
      if (!source || !target || source === target) continue;
      const key = `${source.id}>${target.id}`;
      const known = found.get(key);
      if (known) {
        known.ids.push(each);
        continue;
      }
      const weight = this.made.has(each.source) ? STRAIGHT.chain : STRAIGHT.other;
      found.set(key, { link: { source, target, order: each.operand?.index ?? 0, weight }, ids: [each] });
    }
    return { links: [...found.values()], entered, left };
  }

  /** A frame around the boxes of a level, with its title and its shelf. */
  private framed(
    cluster: LayoutCluster | null,
    { width, height }: Layers,
    boxes: Map<string, Box>,
    { entered, left }: LevelLinks,
  ): Pick<Level, 'box' | 'content'> {
    if (!cluster) {
      const box: Box = { id: '', width, height, inlet: 0, outlet: 0, x: 0, y: 0 };
      return { box, content: { x: 0, y: 0 } };
    }
    const shelf = this.shelfOf(cluster);
    const tall = Math.max(height, shelf.height);
    const top = INSIDE.top + (cluster.title ?? 0);
    const whole = width + (shelf.width > 0 ? INSIDE.shelf + shelf.width : 0);
    const spare = Math.max(0, (cluster.least ?? 0) - 2 * INSIDE.side - whole);
    const content = { x: INSIDE.side + spare / 2, y: top + (tall - height) / 2 };
    const box: Box = {
      id: cluster.id,
      width: 2 * INSIDE.side + whole + spare,
      height: top + tall + INSIDE.bottom,
      inlet: content.x + middle([...entered], boxes, 'inlet', width),
      outlet: content.x + middle([...left], boxes, 'outlet', width),
      x: 0,
      y: 0,
    };
    return { box, content };
  }

  /** A node, with those that stand beside it. */
  private put(id: string, { x, y, height }: Rect): void {
    let left = x;
    for (const node of [this.nodes.get(id)!, ...(this.besides.get(id) ?? [])]) {
      this.places[node.id] = {
        x: left,
        y: y + (height - node.height) / 2,
        width: node.width,
        height: node.height,
      };
      left += node.width + BESIDE;
    }
  }

  private shelfOf({ shelf = [] }: LayoutCluster): { rows: LayoutNode[]; width: number; height: number } {
    const rows = shelf.map((id) => this.nodes.get(id)!);
    return {
      rows,
      width: rows.reduce((most, row) => Math.max(most, row.width), 0),
      height: Math.max(
        0,
        rows.reduce((sum, row) => sum + row.height + INSIDE.rows, -INSIDE.rows),
      ),
    };
  }

  /** Writes down where all boxes of a level stand in the picture. */
  private spread({ cluster, layers, inner, boxes, long, content, box }: Level, corner: Point): void {
    const at = { x: corner.x + content.x, y: corner.y + content.y };
    const frames = new Map(inner.map((each) => [each.box.id, each]));
    for (const { id, x, y, width, height } of boxes.values()) {
      const frame = frames.get(id);
      if (frame) this.spread(frame, { x: at.x + x, y: at.y + y });
      else this.put(id, { x: at.x + x, y: at.y + y, width, height });
    }
    for (const { ids, lanes } of long) {
      const points = lanes.map(({ x, y, width }) => ({ x: at.x + x + width / 2, y: at.y + y })).toReversed();
      for (const { id } of ids) this.routes[id] = points;
    }
    if (!cluster) return;
    this.frames[cluster.id] = { ...corner, width: box.width, height: box.height };
    const shelf = this.shelfOf(cluster);
    const top = INSIDE.top + (cluster.title ?? 0);
    let y = corner.y + top + (box.height - top - INSIDE.bottom - shelf.height) / 2;
    const x = at.x + layers.width + INSIDE.shelf;
    for (const { id, width, height } of shelf.rows) {
      this.places[id] = { x, y, width, height };
      y += height + INSIDE.rows;
    }
  }
}

/** Where links enter the boxes of a frame, or leave them, on the average; those at its edge where none do. */
function middle(through: Box[], boxes: Map<string, Box>, port: 'inlet' | 'outlet', width: number): number {
  const all = [...boxes.values()];
  const ends = (box: Box) => (port === 'inlet' ? -box.y : box.y + box.height);
  const edge = all.reduce((most, box) => Math.max(most, ends(box)), -Infinity);
  const used = through.length > 0 ? through : all.filter((box) => ends(box) === edge);
  return used.length > 0 ? used.reduce((sum, box) => sum + box.x + box[port], 0) / used.length : width / 2;
}

/** Lays out a picture with frames, shelves and lanes. A route is the points of the lanes that a link goes through. */
export function layOutNested(request: LayoutRequest): LayoutDraft {
  return new NestedLayout(request).draft();
}

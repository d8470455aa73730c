/** A box of one level of a picture: an element, a frame with all that is in it, or a lane for a long link (width 0). */
export interface Box {
  id: string;
  width: number;
  height: number;
  /** Where links enter at the top and leave at the bottom. */
  inlet: number;
  outlet: number;
  x: number;
  y: number;
  /** It stays in the first layer. */
  isFirst?: boolean;
}

export interface BoxLink {
  source: Box;
  target: Box;
  /** Operands stand in this order, left to right. */
  order: number;
  /** How much it wants to be straight. */
  weight: number;
}

export interface Spacing {
  /** Between neighbours, and from layer to layer. */
  space: number;
  gap: number;
  /** The width that a layer should not exceed: boxes that do not fit stand in the next one. */
  room: number;
}

/** Sweeps over the layers, to sort them and to place them. */
const SWEEPS = 4;

/** No lanes in pictures with more long links than this: their curves then pass behind boxes. */
const MOST_LANES = 2000;

const LANE = 10;

/** A linear layered layout: longest paths, barycentres, and places that are as near to the wanted ones as room allows. */
export class Layers {
  private readonly into = new Map<Box, BoxLink[]>();
  private readonly outOf = new Map<Box, BoxLink[]>();
  private readonly depth = new Map<Box, number>();
  private layers: Box[][] = [];
  /** By link: the lanes through which it goes. */
  readonly lanes = new Map<BoxLink, Box[]>();
  width = 0;
  height = 0;

  constructor(
    private readonly boxes: readonly Box[],
    private readonly links: readonly BoxLink[],
    private readonly spacing: Spacing,
  ) {
    this.connect(links);
    this.rank();
    this.arrange();
    this.order();
    this.align();
    this.stack();
  }

  private connect(links: readonly BoxLink[]): void {
    for (const link of links) {
      push(this.into, link.target, link);
      push(this.outOf, link.source, link);
    }
  }

  /** The depth of each box: one more than the deepest before it. Boxes without input stand just above their first use. */
  private rank(): void {
    const open = new Map(this.boxes.map((box) => [box, this.into.get(box)?.length ?? 0]));
    const ready = this.boxes.filter((box) => open.get(box) === 0);
    const left = new Set(this.boxes);
    for (let k = 0; left.size > 0; k += 1) {
      // A circle, which a picture should not have, is cut at its first box.
      const box = ready[k] ?? first(left);
      if (ready[k] === undefined) ready.push(box);
      if (!left.delete(box)) continue;
      const mine = this.free(box, this.depth.get(box) ?? 0);
      this.depth.set(box, mine);
      for (const { target } of this.outOf.get(box) ?? []) {
        if (!left.has(target)) continue;
        this.depth.set(target, Math.max(this.depth.get(target) ?? 0, mine + 1));
        const missing = (open.get(target) ?? 1) - 1;
        open.set(target, missing);
        if (missing === 0) ready.push(target);
      }
    }
    for (const box of ready.toReversed()) {
      const users = this.outOf.get(box) ?? [];
      if (box.isFirst || (this.into.get(box) ?? []).length > 0 || users.length === 0) continue;
      const wanted = Math.max(0, Math.min(...users.map(({ target }) => this.depth.get(target)! - 1)));
      if (
        wanted > this.depth.get(box)! &&
        (this.used[wanted] ?? 0) + this.spacing.space + box.width <= this.spacing.room
      ) {
        this.used[wanted] = (this.used[wanted] ?? 0) + this.spacing.space + box.width;
        this.depth.set(box, wanted);
      }
    }
  }

  private readonly used: number[] = [];

  /** The first layer from this one on that has room for a box. */
  private free({ width }: Box, from: number): number {
    const { room, space } = this.spacing;
    let depth = from;
    while ((this.used[depth] ?? 0) > 0 && this.used[depth]! + space + width > room) depth += 1;
    this.used[depth] = (this.used[depth] ?? -space) + space + width;
    return depth;
  }

  /** Boxes by layer; long links get a lane in each layer that they cross. */
  private arrange(): void {
    const crossed = this.links.map((link) => this.depth.get(link.target)! - this.depth.get(link.source)! - 1);
    const lanes = crossed.reduce((sum, n) => sum + Math.max(0, n), 0);
    for (const box of this.boxes) (this.layers[this.depth.get(box)!] ??= []).push(box);
    this.layers = Array.from(this.layers, (layer) => layer ?? []);
    if (lanes > MOST_LANES) return;
    this.links.forEach((link, k) => {
      if (crossed[k]! < 1) return;
      const passed: Box[] = [];
      let source = link.source;
      const pieces: BoxLink[] = [];
      for (let depth = this.depth.get(link.source)! + 1; depth < this.depth.get(link.target)!; depth += 1) {
        const lane: Box = { id: '', width: LANE, height: 0, inlet: LANE / 2, outlet: LANE / 2, x: 0, y: 0 };
        this.layers[depth]!.push(lane);
        passed.push(lane);
        pieces.push({ ...link, source, target: lane, weight: 4 });
        source = lane;
      }
      pieces.push({ ...link, source, weight: Math.min(link.weight, 1) });
      this.lanes.set(link, passed);
      remove(this.into, link.target, link);
      remove(this.outOf, link.source, link);
      this.connect(pieces);
    });
  }

  /** Each layer in the order of what its boxes are connected to. */
  private order(): void {
    const rank = new Map<Box, number>();
    const number = (layer: Box[]) =>
      layer.forEach((box, k) => rank.set(box, k / Math.max(1, layer.length - 1)));
    this.layers.forEach(number);
    const sort = (layer: Box[], links: Map<Box, BoxLink[]>, end: 'source' | 'target') => {
      const weight = new Map(
        layer.map((box) => {
          const around = links.get(box) ?? [];
          const sum = around.reduce((total, link) => total + rank.get(link[end])! + 0.02 * link.order, 0);
          return [box, around.length > 0 ? sum / around.length : rank.get(box)!];
        }),
      );
      layer.sort((x, y) => weight.get(x)! - weight.get(y)!);
      number(layer);
    };
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      for (const layer of this.layers.toReversed()) sort(layer, this.outOf, 'target');
      for (const layer of this.layers) sort(layer, this.into, 'source');
    }
    for (const layer of this.layers.toReversed()) sort(layer, this.outOf, 'target');
  }

  private align(): void {
    for (const layer of this.layers) this.settle(layer, () => null);
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      for (const layer of this.layers) this.settle(layer, (box) => this.wanted(box, 'source'));
      for (const layer of this.layers.toReversed()) this.settle(layer, (box) => this.wanted(box, 'target'));
    }
    for (const layer of this.layers)
      this.settle(layer, (box) => this.wanted(box, 'source') ?? this.wanted(box, 'target'));
    const all = this.layers.flat();
    const left = all.reduce((least, { x }) => Math.min(least, x), Infinity);
    for (const box of all) box.x -= left;
    this.width = all.reduce((most, { x, width }) => Math.max(most, x + width), 0);
  }

  /** Where a box would stand if it followed its strongest links to the layers before or after. */
  private wanted(box: Box, end: 'source' | 'target'): { x: number; weight: number } | null {
    const all = (end === 'source' ? this.into : this.outOf).get(box) ?? [];
    const most = all.reduce((heaviest, { weight }) => Math.max(heaviest, weight), 0);
    const links = all.filter(({ weight }) => weight === most);
    if (links.length === 0) return null;
    const x = links.reduce((sum, link) => {
      const other = link[end];
      const from = other.x + (end === 'source' ? other.outlet : other.inlet);
      return sum + from - (end === 'source' ? box.inlet : box.outlet);
    }, 0);
    return { x: x / links.length, weight: most };
  }

  /** Moves the boxes of a layer as near to the places that they want as order and distance allow (pool adjacent violators). */
  private settle(layer: Box[], wanted: (box: Box) => { x: number; weight: number } | null): void {
    interface Pool {
      x: number;
      weight: number;
      boxes: Box[];
    }
    const pools: Pool[] = [];
    let offset = 0;
    const offsets = new Map<Box, number>();
    let before: Box | null = null;
    for (const box of layer) {
      if (before) offset += this.apart(before, box);
      before = box;
      offsets.set(box, offset);
      const want = wanted(box) ?? { x: box.x, weight: 0.1 };
      pools.push({ x: want.x - offset, weight: want.weight, boxes: [box] });
      offset += box.width;
      for (let last = pools.at(-1)!, left = pools.at(-2); left && left.x > last.x; left = pools.at(-2)) {
        const weight = left.weight + last.weight;
        const x = (left.x * left.weight + last.x * last.weight) / weight;
        pools.splice(-2, 2, { x, weight, boxes: [...left.boxes, ...last.boxes] });
        last = pools.at(-1)!;
      }
    }
    const slack = Math.max(0, this.spacing.room - offset);
    for (const { x, boxes } of pools)
      for (const box of boxes) box.x = Math.max(0, Math.min(slack, x)) + offsets.get(box)!;
  }

  /** Lanes need less room beside them. */
  private apart(one: Box, other: Box): number {
    return one.id === '' || other.id === '' ? LANE : this.spacing.space;
  }

  private stack(): void {
    let y = 0;
    for (const layer of this.layers) {
      const tallest = layer.reduce((most, { height }) => Math.max(most, height), 0);
      for (const box of layer) box.y = y + (box.id === '' ? tallest / 2 : (tallest - box.height) / 2);
      y += tallest + this.spacing.gap;
    }
    this.height = Math.max(0, y - this.spacing.gap);
  }
}

function first<Item>(items: Iterable<Item>): Item {
  for (const item of items) return item;
  throw new Error('nothing is left');
}

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function remove<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  map.set(
    key,
    (map.get(key) ?? []).filter((each) => each !== item),
  );
}

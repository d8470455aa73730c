import { groupBy } from '../../group_by';
import type { Curve, LayoutDraft, LayoutLink, LayoutRequest, LayoutResult, Point, Rect } from './types';

/** Room that a curve keeps from nodes that it passes, and the distance of two ends at one side of a node. */
const CLEARANCE = 8;
const END_SPACING = 26;
const SAMPLES = 14;

/** Where the k-th operand enters, as a part of the function's width. */
export function operandAt(index: number, of: number): number {
  const step = of > 1 ? Math.min(0.4, 0.72 / (of - 1)) : 0;
  return 0.5 + (index - (of - 1) / 2) * step;
}

function centre(place: Rect): number {
  return place.x + place.width / 2;
}

/** The ends of all links: at the bottom of the source, at the top of the target, side by side where there are several. */
class Ends {
  private readonly sides = new Map<string, LayoutLink[]>();
  private readonly places: Record<string, Rect>;

  constructor(request: LayoutRequest, places: Record<string, Rect>) {
    this.places = places;
    const at = (id: string) => places[id] ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const link of request.links) {
      this.push(`${link.source}:out`, link);
      if (!link.operand) this.push(`${link.target}:in`, link);
    }
    for (const [side, links] of this.sides) {
      const other = side.endsWith(':out') ? 'target' : 'source';
      const weight = (link: LayoutLink) => centre(at(link[other])) + (link.operand?.index ?? 0);
      links.sort((x, y) => weight(x) - weight(y));
    }
  }

  private push(side: string, link: LayoutLink): void {
    this.sides.set(side, [...(this.sides.get(side) ?? []), link]);
  }

  private spread(side: string, link: LayoutLink, place: Rect): number {
    const links = this.sides.get(side) ?? [];
    const step = Math.min(END_SPACING, (place.width - 24) / Math.max(1, links.length - 1));
    return centre(place) + (links.indexOf(link) - (links.length - 1) / 2) * step;
  }

  bottom(link: LayoutLink): Point {
    const place = this.places[link.source]!;
    return { x: this.spread(`${link.source}:out`, link, place), y: place.y + place.height };
  }

  top(link: LayoutLink): Point {
    const place = this.places[link.target]!;
    const { operand } = link;
    const x = operand
      ? place.x + place.width * operandAt(operand.index, operand.of)
      : this.spread(`${link.target}:in`, link, place);
    return { x, y: place.y };
  }
}

/** One cubic that leaves and arrives vertically. */
function direct(from: Point, to: Point): Curve {
  const reach = Math.max(Math.abs(from.y - to.y) * 0.64, Math.min(60, Math.abs(from.x - to.x) / 2));
  return [from, { x: from.x, y: from.y - reach }, { x: to.x, y: to.y + reach }, to];
}

/** The point of a cubic piece at `t`. */
export function pointOnCubic(piece: readonly Point[], t: number): Point {
  const [a, b, c, d] = piece as [Point, Point, Point, Point];
  const s = 1 - t;
  const mix = (p: number, q: number, r: number, w: number) =>
    s * s * s * p + 3 * s * s * t * q + 3 * s * t * t * r + t * t * t * w;
  return { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) };
}

function inside(point: Point, place: Rect): boolean {
  return (
    point.x > place.x - CLEARANCE &&
    point.x < place.x + place.width + CLEARANCE &&
    point.y > place.y - CLEARANCE &&
    point.y < place.y + place.height + CLEARANCE
  );
}

function isBlocked(curve: Curve, obstacles: Rect[]): boolean {
  const [from, , , to] = curve as [Point, Point, Point, Point];
  const left = Math.min(from.x, to.x) - CLEARANCE;
  const right = Math.max(from.x, to.x) + CLEARANCE;
  const near = obstacles.filter(
    (place) =>
      place.x < right && place.x + place.width > left && place.y < from.y && place.y + place.height > to.y,
  );
  if (near.length === 0) return false;
  for (let k = 1; k < SAMPLES; k += 1) {
    const point = pointOnCubic(curve, k / SAMPLES);
    if (near.some((place) => inside(point, place))) return true;
  }
  return false;
}

/** The route with its ends moved to where the link really begins and ends. */
function attach(route: Curve, from: Point, to: Point): Curve {
  const shift = (point: Point, by: Point) => ({ x: point.x + by.x, y: point.y + by.y });
  const first = route[0]!;
  const last = route.at(-1)!;
  const start = { x: from.x - first.x, y: from.y - first.y };
  const end = { x: to.x - last.x, y: to.y - last.y };
  return route.map((point, k) => {
    if (k < 2) return shift(point, start);
    return k >= route.length - 2 ? shift(point, end) : point;
  });
}

function curveOf(link: LayoutLink, ends: Ends, draft: LayoutDraft): Curve {
  const from = ends.top(link);
  const to = ends.bottom(link);
  const plain = direct(from, to);
  const route = draft.routes[link.id];
  if (!route || route.length < 4) return plain;
  const obstacles = Object.entries(draft.places)
    .filter(([id]) => id !== link.source && id !== link.target)
    .map(([, place]) => place);
  return isBlocked(plain, obstacles) ? attach(route, from, to) : plain;
}

/** Smoothly from point to point; all pieces meet vertically. */
function through(points: Point[]): Curve {
  const curve: Curve = points.slice(0, 1);
  for (let k = 1; k < points.length; k += 1) curve.push(...direct(points[k - 1]!, points[k]!).slice(1));
  return curve;
}

/** From the right side of a function to the left of what stands on its shelf. */
function sideways(target: Rect, source: Rect, at: number): Curve {
  const from = { x: target.x + target.width, y: target.y + target.height * at };
  const to = { x: source.x, y: source.y + source.height / 2 };
  const reach = Math.max(18, (to.x - from.x) / 2);
  return [from, { x: from.x + reach, y: from.y }, { x: to.x - reach, y: to.y }, to];
}

interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function boundsOf(places: Rect[], curves: Curve[]): Bounds {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  const include = (x: number, y: number) => {
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.max(bounds.bottom, y);
  };
  for (const { x, y, width, height } of places) {
    include(x, y);
    include(x + width, y + height);
  }
  for (const curve of curves)
    for (let k = 0; k + 3 < curve.length; k += 3)
      for (let t = 0; t <= 1; t += 0.125) {
        const { x, y } = pointOnCubic(curve.slice(k, k + 4), t);
        include(x, y);
      }
  return places.length > 0 ? bounds : { left: 0, top: 0, right: 0, bottom: 0 };
}

/** How far a picture reads from left to right: operands in their order count first, then the order of creation. */
function readingOrder({ nodes, links }: LayoutRequest, places: Record<string, Rect>): number {
  const x = (id: string) => centre(places[id] ?? { x: 0, y: 0, width: 0, height: 0 });
  let score = 0;
  const seen = new Map<string, LayoutLink>();
  for (const link of links) {
    const before = seen.get(link.target);
    if (before?.operand && link.operand)
      score +=
        1000 *
        Math.sign(link.operand.index - before.operand.index) *
        Math.sign(x(link.source) - x(before.source));
    seen.set(link.target, link);
  }
  nodes.forEach(({ id }, k) => {
    const before = nodes[k - 1];
    if (before) score += Math.sign(x(id) - x(before.id));
  });
  return score;
}

/** Graphviz may draw a picture from right to left; its mirror image is as good. */
function mirrored({ places, routes }: LayoutDraft): LayoutDraft {
  const flip = (place: Rect): Rect => ({ ...place, x: -place.x - place.width });
  return {
    places: Object.fromEntries(Object.entries(places).map(([id, place]) => [id, flip(place)])),
    routes: Object.fromEntries(
      Object.entries(routes).map(([id, route]) => [id, route.map(({ x, y }) => ({ x: -x, y }))]),
    ),
  };
}

/** The picture moved to the origin, its links drawn. */
function moved(draft: LayoutDraft, curves: (readonly [string, Curve])[]): LayoutResult {
  const frames = Object.entries(draft.frames ?? {});
  const { left, top, right, bottom } = boundsOf(
    [...Object.values(draft.places), ...frames.map(([, frame]) => frame)],
    curves.map(([, curve]) => curve),
  );
  const move = <P extends Point>(point: P): P => ({ ...point, x: point.x - left, y: point.y - top });
  return {
    width: right - left,
    height: bottom - top,
    places: Object.fromEntries(Object.entries(draft.places).map(([id, place]) => [id, move(place)])),
    curves: Object.fromEntries(curves.map(([id, curve]) => [id, curve.map(move)])),
    ...(draft.frames ? { frames: Object.fromEntries(frames.map(([id, frame]) => [id, move(frame)])) } : {}),
  };
}

/** Draws the links between the places of an engine, and moves all of it to the origin. */
export function finishLayout(request: LayoutRequest, found: LayoutDraft): LayoutResult {
  const draft = readingOrder(request, found.places) < 0 ? mirrored(found) : found;
  const ends = new Ends(request, draft.places);
  return moved(
    draft,
    request.links.map((link) => [link.id, curveOf(link, ends, draft)] as const),
  );
}

/** The same for a nested layout: through lanes, and sideways to shelves. */
export function finishNested(request: LayoutRequest, draft: LayoutDraft): LayoutResult {
  const shelved = new Set(request.clusters.flatMap(({ shelf }) => shelf ?? []));
  const first = new Set(request.nodes.flatMap(({ id, isFirst }) => (isFirst ? [id] : [])));
  for (const { id, within, beside } of request.nodes)
    if ((within && !first.has(within.box)) || beside) shelved.add(id);
  const links = request.links.filter(({ source }) => !shelved.has(source));
  const ends = new Ends({ ...request, links }, draft.places);
  const beside = groupBy(
    request.links.filter(({ source }) => shelved.has(source)),
    ({ target }) => target,
  );
  const curves = request.links.flatMap((link): (readonly [string, Curve])[] => {
    const [source, target] = [draft.places[link.source], draft.places[link.target]];
    if (!source || !target) return [];
    if (!shelved.has(link.source))
      return [[link.id, through([ends.top(link), ...(draft.routes[link.id] ?? []), ends.bottom(link)])]];
    const all = beside.get(link.target) ?? [];
    if (isInside(source, target)) return [];
    return [[link.id, sideways(target, source, (all.indexOf(link) + 1) / (all.length + 1))]];
  });
  return moved(draft, curves);
}

/** What stands in the box of a folded group has no line to that box. */
function isInside(inner: Rect, outer: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

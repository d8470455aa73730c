import type { Curve, Point, Rect } from './layout';
import { pointOnCubic } from './layout/link_curves';

const SAMPLES = 24;

/** A curve measured: points along it, and how far each is from the start. */
interface Measure {
  points: Point[];
  distances: number[];
  length: number;
}

const measures = new WeakMap<Curve, Measure>();

function measure(curve: Curve): Measure {
  const points: Point[] = curve.slice(0, 1);
  for (let k = 0; k + 3 < curve.length; k += 3)
    for (let n = 1; n <= SAMPLES; n += 1) points.push(pointOnCubic(curve.slice(k, k + 4), n / SAMPLES));
  const distances = [0];
  points.forEach((point, k) => {
    const before = points[k - 1];
    if (before) distances.push((distances.at(-1) ?? 0) + Math.hypot(point.x - before.x, point.y - before.y));
  });
  return { points, distances, length: distances.at(-1) ?? 0 };
}

function measured(curve: Curve): Measure {
  const known = measures.get(curve) ?? measure(curve);
  measures.set(curve, known);
  return known;
}

/** The length of a curve in pixels. */
export function lengthOf(curve: Curve): number {
  return measured(curve).length;
}

/** The point at a part of the curve's length, 0..1. */
export function pointAlong(curve: Curve, part: number): Point {
  const { points, distances, length } = measured(curve);
  const wanted = Math.max(0, Math.min(1, part)) * length;
  const k = Math.max(
    1,
    distances.findIndex((distance) => distance >= wanted),
  );
  const [from, to] = [points[k - 1], points[k]];
  if (!from || !to) return points[0] ?? { x: 0, y: 0 };
  const span = (distances[k] ?? 0) - (distances[k - 1] ?? 0);
  const t = span > 0 ? (wanted - (distances[k - 1] ?? 0)) / span : 0;
  return { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t };
}

/** The curve without a few pixels at its ends, where arrowheads stand. */
export function trimCurve(curve: Curve, start: number, end: number): Curve {
  const move = (point: Point, toward: Point | undefined, by: number): Point => {
    const size = toward ? Math.hypot(toward.x - point.x, toward.y - point.y) : 0;
    if (!toward || size === 0) return point;
    const part = Math.min(0.9, by / size);
    return { x: point.x + (toward.x - point.x) * part, y: point.y + (toward.y - point.y) * part };
  };
  return curve.map((point, k) => {
    if (k === 0) return move(point, curve[1], start);
    return k === curve.length - 1 ? move(point, curve.at(-2), end) : point;
  });
}

/** The curve as an SVG path. */
export function pathData(curve: Curve): string {
  const [start, ...rest] = curve.map(({ x, y }) => `${round(x)} ${round(y)}`);
  const pieces: string[] = [];
  for (let k = 0; k + 2 < rest.length; k += 3) pieces.push(`C${rest.slice(k, k + 3).join(' ')}`);
  return `M${start}${pieces.join('')}`;
}

function round(x: number): number {
  return Math.round(x * 100) / 100;
}

/** A triangle with its tip at one end of the curve, pointing out of it. */
export function arrowData(curve: Curve, end: 'start' | 'end', width: number, length: number): string {
  const [tip, before] = end === 'end' ? [curve.at(-1), curve.at(-2)] : [curve[0], curve[1]];
  if (!tip || !before) return '';
  const size = Math.hypot(tip.x - before.x, tip.y - before.y) || 1;
  const [dx, dy] = [(tip.x - before.x) / size, (tip.y - before.y) / size];
  const base = { x: tip.x - dx * length, y: tip.y - dy * length };
  const [sx, sy] = [(-dy * width) / 2, (dx * width) / 2];
  const points = [tip, { x: base.x + sx, y: base.y + sy }, { x: base.x - sx, y: base.y - sy }];
  return `M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L')}Z`;
}

/** The rectangle around a curve's points, which the curve does not leave. */
export function boxAround(curve: Curve): Rect {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of curve) {
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x);
    box.bottom = Math.max(box.bottom, y);
  }
  const { left, top, right, bottom } = box;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

import { readable, textWidth } from './captions';
import { cellX, type Cell } from './chapter_cells';
import type { LossCurve, LossPoint } from './loss_curve';

/** A point of the sparkline, in pixels. */
export interface SparkPoint extends LossPoint {
  x: number;
  y: number;
}

/** A value at its point: to the right of it, or to the left at the end of the line. */
export interface SparkLabel {
  point: SparkPoint;
  text: string;
  left: number;
  width: number;
}

/** Where the curve is drawn, from its largest to its smallest value. */
export interface SparkBox {
  width: number;
  top: number;
  bottom: number;
}

/** A button: wide enough for a finger. */
export const BUTTON = { width: 44, height: 32 };
/** Points closer than this are drawn as the line alone. */
const CLOSEST = 7;
const BESIDE = 8;

/** A loss with four digits: `0.7616`, `12.35`, `3.1e-7`. */
export function formatLoss(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (Number.isFinite(value) && (size < 1e-3 || size >= 1e5))
    return value.toExponential(1).replace('e+', 'e');
  return Number.isFinite(value)
    ? value.toPrecision(4)
    : String(value).replace('Infinity', 'inf').toLowerCase();
}

/** The turns of a cell by their numbers; a cell may hold several chapters. */
function numberX(cell: Cell, turn: number): number {
  const turns = cell.chapters.filter((each) => each.turn !== null);
  const from = turns[0]?.turn?.number ?? turn;
  const upTo = turns.at(-1)?.upTo ?? turn;
  return cell.left + ((turn - from + 0.5) / Math.max(1, upTo - from + 1)) * cell.width;
}

/** Places the points of a curve above the cells of the ruler. Values that are no numbers have no point. */
export function sparkPoints(curve: LossCurve, cells: readonly Cell[], box: SparkBox): SparkPoint[] {
  const cellOf = new Map(cells.flatMap((cell) => cell.chapters.map((each) => [each.index, cell] as const)));
  const points = curve.points.filter(({ value }) => Number.isFinite(value));
  let [low, high] = [Infinity, -Infinity];
  for (const { value } of points) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const y = (value: number) =>
    high > low
      ? box.bottom - ((value - low) / (high - low)) * (box.bottom - box.top)
      : (box.top + box.bottom) / 2;
  return points.flatMap((point) => {
    const cell = cellOf.get(point.chapter.index);
    if (!cell) return [];
    const isAlone = point.time !== null && cell.chapters.length === 1;
    const x = isAlone ? cellX([cell], point.time!) : numberX(cell, point.turn);
    return [{ ...point, x, y: y(point.value) }];
  });
}

/** Has the cursor passed a point? One that was left out is passed with its chapter. */
export function isPassed({ time, chapter }: LossPoint, now: number): boolean {
  return (time ?? chapter.end) <= now;
}

const short = (x: number) => Math.round(x * 10) / 10;

/** A line through points. */
export function linePath(points: readonly SparkPoint[]): string {
  return points.map(({ x, y }, k) => `${k === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`).join('');
}

/** Circles as one path. */
export function dotsPath(points: readonly SparkPoint[], r: number): string {
  return points
    .map(({ x, y }) => `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`)
    .join('');
}

/** The points that can be told apart. */
export function apart(points: readonly SparkPoint[]): SparkPoint[] {
  return points.filter(({ x }, k) => {
    const [before, after] = [points[k - 1], points[k + 1]];
    return (!before || x - before.x >= CLOSEST) && (!after || after.x - x >= CLOSEST);
  });
}

/** The one at hand, the first and the last, then all others in their order. */
function byImportance(points: readonly SparkPoint[], current: SparkPoint | null): SparkPoint[] {
  return [...new Set([current, points.at(0), points.at(-1), ...points])].filter((each) => !!each);
}

/** The turns that were kept and have room for a button. */
export function reachable(points: readonly SparkPoint[], current: SparkPoint | null): SparkPoint[] {
  const kept = byImportance(
    points.filter(({ time }) => time !== null),
    current,
  );
  const buttons = kept.map((point) => ({ point, left: point.x - BUTTON.width / 2, width: BUTTON.width }));
  return readable(buttons, 0)
    .map(({ point }) => point)
    .toSorted((one, other) => one.x - other.x);
}

/** The values that can be written beside their points. */
export function sparkLabels(
  points: readonly SparkPoint[],
  current: SparkPoint | null,
  box: SparkBox,
): SparkLabel[] {
  const isDense = apart(points).length < points.length;
  const important = byImportance(points, current);
  const chosen = isDense ? important.slice(0, current ? 3 : 2) : important;
  const labels = chosen.map((point) => {
    const text = formatLoss(point.value);
    const width = textWidth(text);
    const right = point.x + BESIDE;
    const left = right + width <= box.width ? right : point.x - BESIDE - width;
    return { point, text, left, width };
  });
  return readable(labels, 6);
}

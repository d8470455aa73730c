import { readable, textWidth } from './captions';
import { cellX, type Cell } from './chapter_cells';
import type { LossCurve, LossPoint } from '../chapters/loss_curve';

/** A point of the sparkline, in pixels. */
export interface SparkPoint extends LossPoint {
  x: number;
  y: number;
}

/** A value beside its point, above the line. */
export interface SparkLabel {
  point: SparkPoint;
  text: string;
  left: number;
  width: number;
  /** Where the middle of its letters stands. */
  y: number;
}

/** Where the curve is drawn, from its largest to its smallest value. */
export interface SparkBox {
  width: number;
  /** How many digits a value has. */
  digits: number;
  top: number;
  bottom: number;
}

/** A button: wide enough for a finger. */
export const BUTTON = { width: 44, height: 32 };
/** Points closer than this are drawn as the line alone. */
const CLOSEST = 7;
const BESIDE = 8;

/** A loss with a few digits: `0.7616`, `12.35`, `3.1e-7`. */
export function formatLoss(value: number, digits = 4): string {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (Number.isFinite(value) && (size < 1e-3 || size >= 1e5))
    return value.toExponential(1).replace('e+', 'e');
  return Number.isFinite(value)
    ? value.toPrecision(digits)
    : String(value).replace('Infinity', 'inf').toLowerCase();
}

/** The turns of a cell by their numbers; a cell may hold several chapters, and a turn several losses. */
function numberX(cell: Cell, { turn, part = 0.5 }: LossPoint): number {
  const turns = cell.chapters.filter((each) => each.turn !== null);
  const from = turns[0]?.turn?.number ?? turn;
  const upTo = turns.at(-1)?.upTo ?? turn;
  return cell.left + ((turn - from + part) / Math.max(1, upTo - from + 1)) * cell.width;
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
    const x = isAlone ? cellX([cell], point.time!) : numberX(cell, point);
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

/** To the right of its point; to the left where the line rises; over it at the end of the box. */
function labelOf(point: SparkPoint, next: SparkPoint | undefined, box: SparkBox): SparkLabel {
  const text = formatLoss(point.value, box.digits);
  const width = textWidth(text);
  const [right, left] = [point.x + BESIDE, point.x - BESIDE - width];
  const isRising = next !== undefined && next.y < point.y - 1;
  if (isRising && left >= 0) return { point, text, left, width, y: point.y - 8 };
  if (right + width <= box.width) return { point, text, left: right, width, y: point.y - 8 };
  return { point, text, left: box.width - width, width, y: point.y - 13 };
}

/** The middles of the lines in which the name of a curve may stand, the best first. */
const NAME = { lines: [24, 12, 38], apart: 11, gap: 12 };

/** Where the name of a curve, which stands at its left end, keeps clear of its points and of their values. */
export function nameLine(
  width: number,
  points: readonly SparkPoint[],
  labels: readonly SparkLabel[],
): number {
  const near = [...points.map(({ x, y }) => ({ left: x, y })), ...labels].filter(
    ({ left }) => left < width + NAME.gap,
  );
  const isFree = (line: number) => near.every(({ y }) => Math.abs(y - line) >= NAME.apart);
  return NAME.lines.find(isFree) ?? NAME.lines[0]!;
}

/** The values that can be read beside the name, where there was no free line for it; the one at hand always. */
export function clearOfName(
  labels: readonly SparkLabel[],
  width: number,
  line: number,
  current: SparkPoint | null,
): SparkLabel[] {
  return labels.filter(
    ({ point, left, y }) => point === current || left >= width + NAME.gap || Math.abs(y - line) >= NAME.apart,
  );
}

/** Does a label keep clear of all other points? They stand in the order of their places. */
function isClear(label: SparkLabel, points: readonly SparkPoint[], at: number): boolean {
  const hits = ({ x, y }: SparkPoint) =>
    x > label.left - 5 && x < label.left + label.width + 5 && Math.abs(y - label.y) < 11;
  const reaches = (point: SparkPoint | undefined) => !!point && Math.abs(point.x - points[at]!.x) < 80;
  for (let k = at - 1; reaches(points[k]); k -= 1) if (hits(points[k]!)) return false;
  for (let k = at + 1; reaches(points[k]); k += 1) if (hits(points[k]!)) return false;
  return true;
}

/** The values that can be written beside their points; the one at hand in any case. */
export function sparkLabels(
  points: readonly SparkPoint[],
  current: SparkPoint | null,
  box: SparkBox,
): SparkLabel[] {
  const isDense = apart(points).length < points.length;
  const places = new Map(points.map((point, k) => [point, k]));
  const important = byImportance(points, current);
  const labels = (isDense ? important.slice(0, current ? 3 : 2) : important).flatMap((point) => {
    const at = places.get(point) ?? 0;
    const label = labelOf(point, points[at + 1], box);
    return point === current || isClear(label, points, at) ? [label] : [];
  });
  return readable(labels, 6);
}

/** Turns side by side: where each stands, and the frames that hold one or several of them. */
export interface Strip {
  /** Left edge and width of each turn. */
  columns: { left: number; width: number }[];
  frames: StripFrame[];
}

/** A frame of the turns from `first` to `last`, which count from 0. */
export interface StripFrame {
  first: number;
  last: number;
  left: number;
  width: number;
}

/** Up to so many turns each has a frame of its own. */
const MOST_FRAMES = 8;
const GAP = 6;

/** The turns that have a frame of their own: the first, the last, the one at hand and those beside it. */
function namedTurns(count: number, current: number): Set<number> {
  if (count <= MOST_FRAMES) return new Set(Array.from({ length: count }, (_, k) => k));
  const wanted = [0, current - 1, current, current + 1, count - 1];
  const named = new Set(wanted.filter((k) => k >= 0 && k < count));
  // What would fold alone is as well drawn.
  for (let k = 1; k < count - 1; k += 1) if (named.has(k - 1) && named.has(k + 1)) named.add(k);
  return named;
}

/** Lays turns out in a width; a frame of one turn is at least `least` wide. */
export function stripOf(count: number, current: number, width: number, least: number): Strip {
  const named = namedTurns(count, current);
  const even = width / Math.max(1, count);
  const folded = count - named.size;
  const own = even >= least || folded === 0 ? even : Math.min(least, width / (named.size + 1));
  const each = folded === 0 ? even : (width - named.size * own) / folded;
  const columns: Strip['columns'] = [];
  let left = 0;
  for (let k = 0; k < count; k += 1) {
    const wide = named.has(k) ? own : each;
    columns.push({ left, width: wide });
    left += wide;
  }
  const frames: StripFrame[] = [];
  for (let k = 0; k < count; k += 1) {
    const open = frames.at(-1);
    if (open && !named.has(k) && !named.has(k - 1)) open.last = k;
    else frames.push({ first: k, last: k, left: 0, width: 0 });
  }
  for (const frame of frames) {
    const [from, to] = [columns[frame.first]!, columns[frame.last]!];
    frame.left = from.left + GAP / 2;
    frame.width = Math.max(1, to.left + to.width - from.left - GAP);
  }
  return { columns, frames };
}

/** The turn under a place of the strip, from 0. */
export function turnAt({ columns }: Strip, x: number): number {
  const found = columns.findIndex(({ left, width }) => x < left + width);
  return found < 0 ? columns.length - 1 : found;
}

/** A logarithmic scale from one power of ten to another. */
export interface LogScale {
  low: number;
  high: number;
  /** The powers of ten that have a line; those at which numbers stand. */
  lines: number[];
  ticks: number[];
}

const MOST_LINES = 7;
const MOST_TICKS = 3;

/** Whole steps from one power to another, at most so many. */
function steps(low: number, high: number, most: number): number[] {
  const by = Math.max(1, Math.ceil((high - low) / (most - 1)));
  return Array.from({ length: Math.floor((high - low) / by) + 1 }, (_, k) => high - k * by).toReversed();
}

/** The scale of norms: from the power of ten under the smallest to the one over the largest. */
export function logScale(norms: readonly number[]): LogScale {
  const logs = norms.filter((x) => Number.isFinite(x) && x > 0).map(Math.log10);
  const top = logs.reduce((most, x) => Math.max(most, x), -Infinity);
  const bottom = logs.reduce((least, x) => Math.min(least, x), Infinity);
  if (logs.length === 0) return { low: -1, high: 0, lines: [-1, 0], ticks: [-1, 0] };
  const high = Math.max(Math.ceil(top - 1e-9), Math.floor(bottom) + 1);
  // The smallest has some height too.
  const low = Math.min(Math.floor(bottom - 0.15), high - 1);
  return { low, high, lines: steps(low, high, MOST_LINES), ticks: steps(low, high, MOST_TICKS) };
}

/** How high a norm stands on a scale, from 0 to 1; what is not finite reaches the top, zero has no height. */
export function heightOf({ low, high }: LogScale, norm: number): number {
  if (norm === 0) return 0;
  if (!Number.isFinite(norm)) return 1;
  return Math.max(0, Math.min(1, (Math.log10(norm) - low) / (high - low)));
}

/** A power of ten as briefly as it can be said. */
export function formatPower(power: number): string {
  return power >= -3 && power <= 4 ? String(Number(`1e${power}`)) : `1e${power}`;
}

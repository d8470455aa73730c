import type { Chapter, ChapterKind } from '../chapters/chapters';

/** Pixels of a closed turn, of a closed chapter outside of loops, and between chapters. */
export interface CellSizes {
  turn: number;
  other: number;
  gap: number;
  /** The part of the width that the open chapter has at the least. */
  open: number;
}

export const WIDE: CellSizes = { turn: 104, other: 38, gap: 12, open: 0.46 };
export const SMALL: CellSizes = { turn: 44, other: 14, gap: 7, open: 0.36 };

/** Chapters that would follow each other more closely than this share a cell. */
const NARROWEST = 3.5;

/** A place on the ruler: a chapter, open or closed, or several closed ones where there is no room for each. */
export interface Cell {
  left: number;
  width: number;
  start: number;
  end: number;
  chapters: Chapter[];
  open: boolean;
  kind: ChapterKind;
}

type Sized = Pick<Cell, 'chapters' | 'width' | 'open'>;

/** Closed chapters, several to a cell where each would be too narrow. */
function grouped(chapters: readonly Chapter[], sizeOf: (chapter: Chapter) => number, gap: number): Sized[] {
  const cells: Sized[] = [];
  for (const chapter of chapters) {
    const last = cells.at(-1);
    const own = sizeOf(chapter);
    if (last && last.width + gap < NARROWEST) {
      last.chapters.push(chapter);
      last.width += gap + own;
    } else cells.push({ chapters: [chapter], width: own, open: false });
  }
  return cells;
}

/** Lays the chapters out in `width` pixels: one is open, the others are closed to one width, narrower the more there are. */
export function layCells(
  chapters: readonly Chapter[],
  open: number,
  width: number,
  sizes: CellSizes = WIDE,
): Cell[] {
  const others = chapters.filter(({ index }) => index !== open);
  const turns = others.filter(({ turn }) => turn !== null).length;
  const fixed = (others.length - turns) * sizes.other;
  const desired = turns * sizes.turn + others.length * sizes.gap;
  const scale = Math.min(1, Math.max(1, width * (1 - sizes.open) - fixed) / Math.max(1, desired));
  const gap = sizes.gap * scale;
  const sizeOf = ({ turn }: Chapter) => (turn === null ? sizes.other : sizes.turn * scale);
  const own = Math.max(1, width - fixed - desired * scale);
  return placed(
    [
      ...grouped(chapters.slice(0, open), sizeOf, gap),
      { chapters: chapters.slice(open, open + 1), width: own, open: true },
      ...grouped(chapters.slice(open + 1), sizeOf, gap),
    ],
    gap,
  );
}

function placed(cells: readonly Sized[], gap: number): Cell[] {
  let left = 0;
  return cells.flatMap((cell) => {
    const [first, last] = [cell.chapters.at(0), cell.chapters.at(-1)];
    if (!first || !last) return [];
    const kind = cell.chapters.find((each) => each.kind === 'turn')?.kind ?? first.kind;
    const own = { ...cell, left, start: first.start, end: last.end, kind };
    left += cell.width + gap;
    return [own];
  });
}

/** The last of these, in their order, of which something holds; the first at the least. */
function lastWhere<Each>(all: readonly Each[], holds: (each: Each) => boolean): Each | undefined {
  let low = 0;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(all[middle]!)) low = middle;
    else high = middle - 1;
  }
  return all[low];
}

/** Where a time stands on the ruler. */
export function cellX(cells: readonly Cell[], time: number): number {
  const cell = lastWhere(cells, ({ start }) => start <= time);
  if (!cell) return 0;
  const part = cell.end > cell.start ? (time - cell.start) / (cell.end - cell.start) : 0;
  return cell.left + Math.max(0, Math.min(1, part)) * cell.width;
}

/** Which time stands at a place on the ruler. */
export function cellTime(cells: readonly Cell[], x: number): number {
  const cell = lastWhere(cells, ({ left }) => left <= x);
  if (!cell) return 0;
  const part = Math.max(0, Math.min(1, (x - cell.left) / cell.width));
  // The very end of a chapter is the beginning of the next.
  return cell.start + Math.min(part * (cell.end - cell.start), Math.max(0, cell.end - cell.start - 0.5));
}

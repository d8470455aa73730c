import type { Value } from '../../api/types';
import { arrangeBlocks } from '../trace/values';
import type { Size } from './geometry';
import { briefGrid, widestBrief, type GridPlan } from './grid';

/** Cells with a number that can be read. */
const CELL = { width: 34, most: 66, height: 22, font: 12 };
/** The size of numbers in a picture that is drawn as small as it may be, in its own measure. */
const GROWN = 13.75;
const NUMBERED = { rows: 3, cols: 3 };

/** Boxes of heat maps: of matrices on cards and on shelves, of vectors, of columns. */
const BOX = {
  card: { width: 44, height: 46 },
  shelf: { width: 66, height: 54 },
  line: 16,
  slim: 10,
  column: 18,
};

/** A small picture of an array: its numbers where they can be read, else its colours in a box of one size. */
export interface Thumb {
  width: number;
  height: number;
  /** Null for a heat map. */
  grid: GridPlan | null;
}

/** The room that a heat map's box has. */
export type ThumbRoom = 'card' | 'shelf' | Gathered;

/** That of a leaf of a folded module, and of one of many that stand together on a small screen. */
export type Gathered = 'mini' | 'tiny' | 'slim';

const WIDTH: Record<Gathered, number> = { mini: 42, tiny: 24, slim: 16 };

function numbered(value: Value, others: readonly Value[]): GridPlan | null {
  const layout = arrangeBlocks(value);
  const { rows, cols, blocks, cut } = layout;
  if (cut || blocks.length !== 1 || rows > NUMBERED.rows || cols > NUMBERED.cols) return null;
  const layouts = [layout, ...others.map(arrangeBlocks)];
  return briefGrid(
    layout,
    CELL,
    Math.min(CELL.most, Math.max(CELL.width, Math.ceil(widestBrief(layouts) * GROWN + 6))),
  );
}

/** The rows and columns of an array as one matrix: leading dimensions are stacked. */
export function matrixShape({ shape }: Pick<Value, 'shape'>): { rows: number; cols: number } {
  const cols = shape.at(-1) ?? 1;
  return { rows: shape.slice(0, -1).reduce((product, size) => product * size, 1), cols };
}

/** How an array is drawn that has little room; `others` are those that take the same place. */
export function planThumb(value: Value, room: ThumbRoom, others: readonly Value[] = []): Thumb {
  if (room === 'mini' || room === 'tiny' || room === 'slim')
    return { width: WIDTH[room], height: room === 'slim' ? BOX.slim : BOX.line - 2, grid: null };
  const grid = numbered(value, others);
  if (grid) return { width: grid.width, height: grid.height, grid };
  const { rows, cols } = matrixShape(value);
  const box = BOX[room];
  const size =
    rows <= 1
      ? { width: BOX.shelf.width, height: BOX.line }
      : cols <= 1
        ? { width: BOX.column, height: box.height }
        : box;
  return { ...size, grid: null };
}

/** Room of the beads in a thumb, wider apart than values. */
export const BEADS = 3;

/** The size of a thumb as beads. */
export function beadsSize({ grid, width, height }: Thumb): Size {
  if (!grid) return { width, height };
  return { width: width + (grid.cols - 1) * (BEADS - 1), height: height + (grid.rows - 1) * (BEADS - 1) };
}

/** From the edge of a bucket to the beads: border, space, border, padding. */
export const BUCKET = 9;

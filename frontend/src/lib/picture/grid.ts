import type { Value } from '../../api/types';
import { arrangeBlocks, formatBriefly, formatElement, type ArrayLayout } from '../trace/values';

/** How large the cells of a graph are. One size for the whole graph: a tensor's size on screen tells its shape. */
export type Density = 'roomy' | 'dense' | 'tight' | 'chip' | 'matrix';

export interface CellSize {
  width: number;
  height: number;
  font: number;
}

/** Cells by density; `chip` is for gradients in flight, `matrix` for arrays within a formula. */
export const CELLS: Record<Density, CellSize> = {
  roomy: { width: 50, height: 34, font: 14 },
  dense: { width: 40, height: 28, font: 13 },
  tight: { width: 36, height: 25, font: 13 },
  chip: { width: 30, height: 22, font: 12 },
  matrix: { width: 26, height: 26, font: 15 },
};

/** Gaps between the cells of a plate and of beads, and between stacked matrices. */
export const PLATE_GAP = 1;
export const BEAD_GAP = 4;
const BLOCK_GAP = 12;

/** Height of the line under an array that is not shown whole. */
export const CAPTION = 18;

/** More rows or columns than this are drawn as colour alone. */
const NUMBERED = { rows: 8, cols: 8 };
const NUMBERED_CHIP = { rows: 4, cols: 4 };

/** Of arrays too large to be sent, a corner of this size is shown. */
const CORNER = { rows: 4, cols: 4 };

/** The longest side of an array drawn as colour alone, and the smallest and largest side of its cells. */
const HEAT = { side: 220, least: 4, most: 14, chip: 64 };

const MOST_BLOCKS = 4;

/** How an array is drawn: which of its elements, and how large. */
export interface GridPlan {
  layout: ArrayLayout;
  rows: number;
  cols: number;
  blocks: number;
  /** Colour with numbers, or colour alone. */
  numbers: boolean;
  /** Not all elements are shown. */
  cut: boolean;
  cell: CellSize;
  width: number;
  height: number;
  /** With few digits. */
  brief?: boolean;
}

const WIDTHS: Record<string, number> = { '.': 0.29, '-': 0.47, '+': 0.65, '1': 0.62 };

/** Width of a number in Inter with tabular figures, in units of the font size. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WIDTHS[character] ?? 0.63;
  return width;
}

/** The largest font size, up to `font`, at which a text fits into a cell. */
export function fontSizeFor(text: string, width: number, font: number): number {
  return Math.max(8, Math.min(font, Math.floor(((width - 5) / textWidth(text)) * 2) / 2));
}

/** The size from which on a text would be cut by its cell, in which it may stand close. */
export function largestFont(text: string, { width, height }: Pick<CellSize, 'width' | 'height'>): number {
  return Math.min((width - 1) / textWidth(text), height);
}

function longest(layout: ArrayLayout): number {
  return layout.data.reduce<number>((most, element) => Math.max(most, textWidth(formatElement(element))), 0);
}

function numberedCell(widest: number, density: Density): CellSize {
  const cell = CELLS[density];
  const wanted = Math.ceil(
    widest * (density === 'roomy' || density === 'chip' ? Math.max(10.5, cell.font - 2) : 13.3) + 8,
  );
  return { ...cell, width: Math.max(cell.width, wanted) };
}

function colourCell(rows: number, cols: number, side: number): CellSize {
  const size = Math.max(HEAT.least, Math.min(HEAT.most, Math.floor(side / Math.max(rows, cols))));
  return { width: size, height: size, font: 0 };
}

function measured(plan: Omit<GridPlan, 'width' | 'height'>, gap: number): GridPlan {
  const { rows, cols, blocks, cell, cut } = plan;
  const block = rows * cell.height + (rows - 1) * gap;
  const width = Math.max(cell.width, cols * cell.width + (cols - 1) * gap);
  const height = Math.max(cell.height, blocks * block + (blocks - 1) * BLOCK_GAP) + (cut ? CAPTION : 0);
  return { ...plan, width: cut ? Math.max(width, 96) : width, height };
}

/** The corner of a summary, small enough for a card. */
function cropped(layout: ArrayLayout): ArrayLayout {
  if (!layout.cut) return layout;
  return {
    ...layout,
    rows: Math.min(CORNER.rows, layout.rows),
    cols: Math.min(CORNER.cols, layout.cols),
    stride: layout.stride,
  };
}

/** Decides how an array is drawn as a plate, with cells wide enough for the `others` that take the same places. */
export function planGrid(value: Value, density: Density, others: readonly Value[] = []): GridPlan {
  const layout = cropped(arrangeBlocks(value));
  const chip = density === 'chip';
  const limit = chip ? NUMBERED_CHIP : NUMBERED;
  const side = chip ? HEAT.chip : HEAT.side;
  const blocks = Math.min(MOST_BLOCKS, layout.blocks.length);
  const numbers = layout.cols <= limit.cols && layout.rows * blocks <= limit.rows;
  const most = Math.floor(side / HEAT.least);
  const rows = numbers ? layout.rows : Math.min(layout.rows, Math.max(1, Math.floor(most / blocks)));
  const cols = numbers ? layout.cols : Math.min(layout.cols, most);
  const shown = rows === layout.rows && cols === layout.cols && blocks === layout.blocks.length;
  const cut = !chip && (layout.cut || !shown);
  const widest = [layout, ...others.map(arrangeBlocks)].reduce(
    (most, each) => Math.max(most, longest(each)),
    0,
  );
  const cell = numbers ? numberedCell(widest, density) : colourCell(rows * blocks, cols, side);
  const gap = numbers ? PLATE_GAP : 0;
  return measured({ layout, rows, cols, blocks, numbers, cut, cell }, gap);
}

/** The width of the widest number with few digits, in units of the font size. */
export function widestBrief(layouts: readonly ArrayLayout[]): number {
  const texts = layouts.flatMap(({ data }) => data.map(formatBriefly));
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}

/** One matrix, all of it, in cells of this width whose numbers have few digits. */
export function briefGrid(
  layout: ArrayLayout,
  { height, font }: Omit<CellSize, 'width'>,
  width: number,
): GridPlan {
  const { rows, cols } = layout;
  return {
    layout,
    rows,
    cols,
    blocks: 1,
    numbers: true,
    cut: false,
    cell: { width, height, font },
    width: cols * width + (cols - 1) * PLATE_GAP,
    height: rows * height + (rows - 1) * PLATE_GAP,
    brief: true,
  };
}

/** Position of a cell in the flat data of the layout. */
export function cellPosition(plan: GridPlan, block: number, row: number, col: number): number {
  return (plan.layout.blocks[block]?.offset ?? 0) + row * plan.layout.stride + col;
}

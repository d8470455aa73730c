import type { Value } from '../../../api/types';
import type { UpdatedLeaf } from '../../animation/update_runs';
import { arrangeBlocks, formatShape } from '../../trace/values';
import { advance, MONO, SANS } from '../geometry';
import { briefGrid, textWidth, widestBrief } from '../grid';
import { BEADS, beadsSize, BUCKET, matrixShape, type Thumb } from '../thumb';

/** An array that an optimizer keeps, by its name. */
export interface StatePlan {
  name: string;
  thumb: Thumb;
}

/** How the update of one leaf is drawn: from its bucket through what the optimizer keeps to its value. */
export interface LeafPlan {
  bucket: Thumb;
  value: Thumb;
  chip: Thumb | null;
  states: StatePlan[];
  height: number;
}

/** The widths of the columns, how many lines the words above a leaf take, and the leaves in their order. */
export interface UpdatePlan {
  bucket: number;
  value: number;
  state: number;
  lines: 1 | 2;
  leaves: LeafPlan[];
  height: number;
}

/** From how few rows on an array is drawn in colours alone, and how tall it then is. */
interface Detail {
  rows: number;
  height: number;
}

/** What is tried one after the other until the leaves fit. */
const DETAILS: readonly Detail[] = [
  { rows: 8, height: 96 },
  { rows: 4, height: 72 },
  { rows: 3, height: 52 },
  { rows: 1, height: 36 },
];

const CELL = { height: 22, least: 34, most: 48, font: 12 };
const CHIP = { roomy: { line: 54, box: 44, most: 46 }, narrow: { line: 38, box: 34, most: 40 } };
const CHIP_LINE = 12;
const LINE = 16;
const COLUMN = 34;

/** The height of a line of words above a leaf, and the room to the next leaf. */
const LEAF = { line: 20, gap: 10 };
/** The title and the border of a module. */
const MODULE = { title: 14, padding: 8, gap: 16 };

/** The least width of what lies between the columns: the chip and an arrow on each side of it. */
const BETWEEN = { roomy: 126, narrow: 84 };
const STATE = { roomy: 84, narrow: 80 };
type RoomSize = keyof typeof BETWEEN;
const NARROW = 420;
const MOST_COLUMN = 226;
/** `.grad 0.1598` beside a name: how many letters, how large, and the gaps. */
const WORDS = { grad: 12, font: 11.5, gaps: 16 };

function numbered(value: Value, others: readonly Value[], width: number, { rows: most }: Detail) {
  const layout = arrangeBlocks(value);
  const { rows, cols, blocks, cut } = layout;
  if (cut || blocks.length !== 1 || rows > most) return null;
  const digits = Math.ceil(widestBrief([layout, ...others.map(arrangeBlocks)]) * CELL.font + 6);
  const wanted = Math.max(CELL.least, digits);
  const room = (width - (cols - 1) * BEADS) / cols;
  if (room < wanted) return null;
  return briefGrid(layout, CELL, Math.floor(Math.max(wanted, Math.min(CELL.most, room))));
}

/** An array in a column of this width. `others` take the same place. */
function planColumn(value: Value, others: readonly Value[], width: number, detail: Detail): Thumb {
  const grid = numbered(value, others, width, detail);
  if (grid) return { width: grid.width, height: grid.height, grid };
  const { rows, cols } = matrixShape(value);
  const height = rows <= 1 ? LINE : Math.min(detail.height, Math.max(24, rows * CELL.height));
  const wide = cols <= 1 && rows > 1 ? COLUMN : width;
  return { width: Math.min(width, wide), height, grid: null };
}

function planChip(flow: Value | null, size: RoomSize): Thumb | null {
  if (!flow?.data) return null;
  const { rows, cols } = matrixShape(flow);
  if (rows === 1 && cols === 1) {
    const layout = arrangeBlocks(flow);
    const wide = Math.ceil(Math.max(4, widestBrief([layout])) * CELL.font + 8);
    const grid = briefGrid(layout, { height: 22, font: CELL.font }, wide);
    return { width: grid.width, height: grid.height, grid };
  }
  const { line, box, most } = CHIP[size];
  if (rows === 1) return { width: line, height: CHIP_LINE, grid: null };
  const width = cols === 1 ? 16 : box;
  return { width, height: Math.min(most, Math.max(16, rows * 6)), grid: null };
}

function planState(name: string, value: Value, width: number): StatePlan {
  const { rows } = matrixShape(value);
  const wide = Math.min(width, Math.max(44, Math.ceil(textWidth(name) * 11)));
  return { name, thumb: { width: wide, height: rows > 1 ? 22 : 12, grid: null } };
}

type Columns = Omit<UpdatePlan, 'leaves' | 'height'> & { size: RoomSize };

function planLeaf({ updates }: UpdatedLeaf, columns: Columns, detail: Detail): LeafPlan {
  const first = updates[0]!;
  const grads = updates.flatMap(({ grad, flow }) => [grad, flow].filter((each) => each !== null));
  const values = updates.flatMap(({ before, after }) => [before, after]);
  const inside = columns.bucket - 2 * BUCKET;
  // Cells of bucket and value are one size: an element stands in the same place in both.
  const bucket = planColumn(first.before, [...grads, ...values], inside, detail);
  const value = planColumn(first.before, [...grads, ...values], columns.value, detail);
  const plain = bucket.grid && value.grid ? { ...value, ...bucket } : value;
  const states = first.buffers.map(({ name, after }) => planState(name, after, columns.state));
  const chip = planChip(first.flow, columns.size);
  const kept = states.reduce((sum, { thumb }) => sum + thumb.height + 20, 0);
  const tall = Math.max(beadsSize(bucket).height + 2 * BUCKET, plain.height, (chip?.height ?? 0) + 12, kept);
  return { bucket, value: plain, chip, states, height: Math.ceil(tall) + columns.lines * LEAF.line };
}

/** The width of a leaf's name, its shape and the norm of its bucket, in one line. */
function wordsWidth({ tensor }: UpdatedLeaf): number {
  const name = (tensor.names[0] ?? tensor.label).split('.').at(-1)!;
  return (
    advance(name, MONO) * 13 +
    (formatShape(tensor.shape).length + WORDS.grad) * SANS * WORDS.font +
    WORDS.gaps
  );
}

/** How an update is drawn in a room of this width and, where it can be, of this height. `modules`: how many frames there are. */
export function planUpdate(
  leaves: readonly UpdatedLeaf[],
  room: { width: number; height: number },
  modules: number,
): UpdatePlan {
  const isNarrow = room.width < NARROW;
  const size: RoomSize = isNarrow ? 'narrow' : 'roomy';
  const keeps = leaves.some(({ updates }) => updates[0]!.buffers.length > 0);
  const state = keeps ? STATE[size] : 0;
  const column = Math.min(MOST_COLUMN, Math.floor((room.width - BETWEEN[size] - state) / 2));
  const lines = leaves.every((leaf) => wordsWidth(leaf) <= column) ? 1 : 2;
  const columns = { bucket: column, value: column, state, lines, size } as const;
  const frames = modules * (MODULE.title + MODULE.padding + MODULE.gap);
  const heightOf = (planned: readonly LeafPlan[]) =>
    planned.reduce((sum, { height }) => sum + height + LEAF.gap, frames);
  const details = DETAILS.map((detail) => leaves.map((leaf) => planLeaf(leaf, columns, detail)));
  const uniform = details.find((planned) => heightOf(planned) <= room.height) ?? details.at(-1)!;
  const planned = [...uniform];
  // What room is left goes to the first leaves.
  for (const k of planned.keys())
    for (const better of details) {
      const left = room.height - heightOf(planned);
      if (better[k]!.height - planned[k]!.height > left) continue;
      planned[k] = better[k]!;
      break;
    }
  return { bucket: column, value: column, state, lines, leaves: planned, height: heightOf(planned) };
}

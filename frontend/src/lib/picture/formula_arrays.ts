import type { Value } from '../../api/types';
import { arrangeBlocks } from '../trace/values';
import { briefGrid, planGrid, widestBrief, type GridPlan } from './grid';
import { matrixShape } from './thumb';

/** How an array stands in a formula: its numbers, or a heat map of this size. */
export type Drawing =
  | { kind: 'numbers'; plan: GridPlan; width: number; height: number }
  | { kind: 'heat'; width: number; height: number; rows: number; cols: number };

/** More rows or columns than this are a heat map. */
const NUMBERED = 6;

/** Heat maps: the height of a matrix and of a row, the widths that a matrix may have. */
const HEAT = { height: 58, line: 16, column: 18, narrowest: 34, widest: 112 };

/** Room of the brackets and of the rings around an array of numbers. */
const BRACKETS = 12;

const BRIEF = { height: 22, font: 11.5 };

function isNumbered(value: Value): boolean {
  const { rows, cols, blocks, cut } = arrangeBlocks(value);
  return !cut && blocks.length === 1 && rows <= NUMBERED && cols <= NUMBERED;
}

function numbers(plan: GridPlan): Drawing {
  return { kind: 'numbers', plan, width: plan.width + 2 * plan.cols + BRACKETS, height: plan.height + 6 };
}

function briefly(value: Value): GridPlan {
  const layout = arrangeBlocks(value);
  return briefGrid(layout, BRIEF, Math.max(18, Math.ceil(widestBrief([layout]) * BRIEF.font + 6)));
}

function heatMap(value: Value): Drawing {
  const { rows, cols } = matrixShape(value);
  const kind = 'heat' as const;
  if (rows <= 1)
    return { kind, rows, cols, width: Math.min(HEAT.widest, Math.max(48, cols * 8)), height: HEAT.line };
  if (cols <= 1) return { kind, rows, cols, width: HEAT.column, height: HEAT.height };
  const wanted = Math.round(HEAT.height * Math.sqrt(cols / rows));
  return {
    kind,
    rows,
    cols,
    width: Math.max(HEAT.narrowest, Math.min(HEAT.widest, wanted)),
    height: HEAT.height,
  };
}

function widthOf(drawings: readonly Drawing[]): number {
  return drawings.reduce((sum, { width }) => sum + width, 0);
}

/** Every matrix narrower by one factor, that a line of heat maps fits. */
function squeezed(drawings: Drawing[], room: number): Drawing[] {
  const factor = Math.min(1, room / Math.max(1, widthOf(drawings)));
  return drawings.map((each) =>
    each.kind === 'heat' && each.rows > 1 && each.cols > 1
      ? { ...each, width: Math.max(28, Math.floor(each.width * factor)) }
      : each,
  );
}

/** Matrices of at most this many elements keep their numbers, even where the line has to wrap. */
const KEPT = 9;

/**
 * How the arrays of one line are drawn in this room: all with their numbers, else with few digits, else as heat maps.
 * Where all are small, the line wraps instead; what has at most three numbers keeps them in any case.
 */
export function planLine(values: readonly Value[], room: number): Drawing[] {
  const full = values.map((value) =>
    isNumbered(value) ? numbers(planGrid(value, 'matrix')) : heatMap(value),
  );
  if (widthOf(full) <= room) return full;
  const brief = values.map((value) => (isNumbered(value) ? numbers(briefly(value)) : heatMap(value)));
  const isSmall = values.every(({ data }) => data !== null && data.length <= KEPT);
  const areNarrow = brief.every(({ width }) => width <= Math.max(room, 240));
  if (widthOf(brief) <= room || (isSmall && areNarrow)) return brief;
  const small = values.map((value, k) =>
    (value.data?.length ?? Infinity) <= 3 && brief[k]!.width <= room / 3 ? brief[k]! : heatMap(value),
  );
  return squeezed(small, room);
}

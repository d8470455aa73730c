import type { Value } from '../../api/types';
import type { Card, FoldedGroup, GraphModel, Pill } from '../graph/types';
import { formatShape } from '../trace/values';
import { BEAD_GAP, CAPTION, planGrid, type CellSize, type Density, type GridPlan } from './grid';

export interface Size {
  width: number;
  height: number;
}

/** The size of something that has more. */
export function sizeOnly({ width, height }: Size): Size {
  return { width, height };
}

/** How the gradient stands: under the value, or beside it, with or without a line that names it. */
export type Arrangement = 'stacked' | 'wide' | 'compact' | 'beside';

/** The measures of a card; the component draws by them and the layout counts with them. */
export interface CardPlan extends Size {
  arrangement: Arrangement;
  plate: GridPlan;
  header: number;
  padding: number;
  /** Width of the column of the name and the value, where the gradient stands beside it. */
  first: number;
  /** Size of the beads' cells, and of those in the bucket. */
  beads: CellSize;
  bucketBeads: CellSize;
}

/** Width of a character of JetBrains Mono, and of Inter on average, in units of the font size. */
export const MONO = 0.6;
export const SANS = 0.56;

/** Heights and widths of the parts of a card. */
const PART = {
  border: 1,
  /** From the plate to the beads, the line with the gradient's name included. */
  gradient: 38,
  /** The bucket without its beads: gap above, border, line, padding, less the card's padding that it takes. */
  bucket: 42,
  /** The same where the bucket stands beside the plate, from the card's edge to the card's edge. */
  wideBucket: 45,
  wideGap: 16,
  compactGap: 8,
  leastGradient: 76,
  leastBucket: 98,
} as const;

const HEADER: Record<'roomy' | 'dense' | 'compact', number> = { roomy: 36, dense: 30, compact: 26 };
const PADDING: Record<'roomy' | 'dense' | 'compact', number> = { roomy: 13, dense: 10, compact: 8 };

const PILL_HEIGHT = 44;
const LEAST_FOLDED_HEIGHT = 60;

/** Names longer than this are cut. */
const MOST_NAME = 150;
const MOST_COMPACT_NAME = 170;

/** Wider values than this have their gradient under them. */
const MOST_WIDE = 180;

function beadCells(plate: GridPlan, width: number): CellSize {
  if (!plate.numbers) return plate.cell;
  const each = (width - (plate.cols - 1) * BEAD_GAP) / plate.cols;
  return { ...plate.cell, width: each };
}

/** Beads have wider gaps than the plate they stand under, and no caption. */
function beadsHeight(plate: GridPlan): number {
  const cells = plate.height - (plate.cut ? CAPTION : 0);
  if (!plate.numbers) return cells;
  return cells + plate.blocks * (plate.rows - 1) * (BEAD_GAP - 1);
}

function headerWidth(card: Card): number {
  const font = card.compact ? 12 : 15;
  const name = Math.min(card.compact ? MOST_COMPACT_NAME : MOST_NAME, advance(card.label, MONO) * font);
  const note = card.version === null ? formatShape(card.tensor.shape) : `version ${card.version}`;
  return name + (note ? 14 + note.length * SANS * 12 : 0);
}

function isSmall(plate: GridPlan, wide: boolean): boolean {
  const most = wide ? { rows: 4, cols: 3 } : { rows: 2, cols: 2 };
  return (
    plate.numbers && plate.cols <= most.cols && plate.rows <= most.rows && plate.blocks === 1 && !plate.cut
  );
}

function arrangementOf(card: Card, plate: GridPlan, wide: boolean): Arrangement {
  if (card.compact) return isSmall(plate, wide) ? 'beside' : 'compact';
  return wide && (card.gradient || card.bucket) && plate.width <= MOST_WIDE ? 'wide' : 'stacked';
}

interface Parts {
  card: Card;
  plate: GridPlan;
  first: number;
  beads: number;
}

/** The size of what is under the header, and of the header's width, without padding. */
const INNER: Record<Arrangement, (parts: Parts) => Size> = {
  beside: ({ card, plate, first, beads }) => ({
    width: Math.max(first, card.gradient ? 2 * plate.width + PART.compactGap : plate.width),
    height: card.gradient ? beads : plate.height,
  }),
  compact: ({ card, plate, first, beads }) => ({
    width: Math.max(first, plate.width),
    height: plate.height + (card.gradient ? PART.compactGap + beads : 0),
  }),
  stacked: ({ card, plate, first, beads }) => ({
    width: Math.max(first, plate.width, least(card)),
    height:
      plate.height + (card.gradient ? PART.gradient + beads : 0) + (card.bucket ? PART.bucket + beads : 0),
  }),
  wide: ({ card, plate, first, beads }) => ({
    width:
      first +
      (card.gradient ? PART.wideGap + Math.max(plate.width, PART.leastGradient) : 0) +
      (card.bucket ? PART.wideGap + Math.max(plate.width, PART.leastBucket) : 0),
    height: beads,
  }),
};

function least(card: Card): number {
  return card.bucket ? PART.leastBucket : card.gradient ? PART.leastGradient : 0;
}

/**
 * How a card is drawn, and its size. `wide`: the graph is deep, so that height is what it lacks.
 * `gradients` are those that the card will show, so that their numbers find room.
 */
export function planCard(
  card: Card,
  density: Density,
  wide: boolean,
  gradients: readonly Value[] = [],
): CardPlan {
  const style = card.compact ? 'compact' : density === 'roomy' ? 'roomy' : 'dense';
  const plate = planGrid(card.tensor.value, card.compact ? 'tight' : density, gradients);
  const arrangement = arrangementOf(card, plate, wide);
  const [header, padding] = [HEADER[style], PADDING[style]];
  const first = Math.ceil(Math.max(headerWidth(card), plate.width));
  const inner = INNER[arrangement]({ card, plate, first, beads: beadsHeight(plate) });
  const bucket = arrangement === 'wide' && card.bucket ? PART.wideBucket + beadsHeight(plate) : 0;
  return {
    arrangement,
    plate,
    header,
    padding,
    first,
    beads: beadCells(plate, plate.width),
    bucketBeads: beadCells(plate, plate.width - 1),
    width: Math.ceil(inner.width) + 2 * padding + 2 * PART.border,
    height: Math.ceil(Math.max(header + inner.height + padding, bucket)) + 2 * PART.border,
  };
}

/** The size of a function: its symbol, its name, its grad_fn. */
export function pillSize(pill: Pill, density: Density): Size {
  const dense = density !== 'roomy';
  // Small words are drawn larger in a picture that is drawn smaller.
  const [name, small] = dense ? [13.75, 13.75] : [14, 13.75];
  const gradFn = pill.node.grad_fn ? 10 + pill.node.grad_fn.length * MONO * small : 0;
  const label = Math.min(180, advance(pill.label, MONO) * name);
  const slack = dense ? 26 : 18;
  return {
    width: Math.ceil(markWidth(pill, dense) + label + gradFn + slack),
    height: dense ? 36 : PILL_HEIGHT,
  };
}

/** Does the pill begin with a sign in a circle? Not where the sign is the name itself. */
export function hasSign(pill: Pill): boolean {
  const { symbol } = pill.node;
  return symbol !== '' && symbol.length <= 3 && !pill.label.startsWith(symbol);
}

/** From the pill's edge to its name. */
export function markWidth(pill: Pill, dense: boolean): number {
  if (pill.region) return 7 + 4 + regionStripWidth(pill) + 10;
  return hasSign(pill) ? 7 + (dense ? 24 : 30) + 10 : 18;
}

/** Width of the little map of the written region: at most eight columns. */
function regionStripWidth(pill: Pill): number {
  const cols = Math.min(8, pill.region?.shape.at(-1) ?? 1);
  return cols * 9 + (cols - 1) * 2 + 6;
}

/** How a folded group shows the value that it hands on, and the gradient of that. */
export function planFoldedGroup(folded: FoldedGroup): { plate: GridPlan; beads: CellSize } | null {
  if (!folded.value) return null;
  const plate = planGrid(folded.value.value, 'tight');
  return { plate, beads: beadCells(plate, plate.width) };
}

/** The width of a text in units of its font's size; Chinese characters are square. */
export function advance(text: string, each: number): number {
  return [...text].reduce((sum, character) => sum + (character > '\u2e7f' ? 1 : each), 0);
}

/** The size of a folded group. */
export function foldedGroupSize(folded: FoldedGroup, title: string, note: string): Size {
  const words = Math.max(advance(title, MONO) * 13, advance(note, SANS) * 11.5);
  const value = planFoldedGroup(folded)?.plate;
  const grids = folded.gradient ? 2 : 1;
  const width = 28 + words + (value ? grids * (16 + value.width) : 0);
  const tall = value ? (folded.gradient ? beadsHeight(value) : value.height) : 0;
  return { width: Math.ceil(width), height: Math.max(LEAST_FOLDED_HEIGHT, tall + 18) };
}

/** The size of a chip: the beads, a border, some room. */
export function chipSize(value: Value): Size {
  const { width, height, rows, cols, numbers, blocks } = planGrid(value, 'chip');
  const gaps = numbers ? 2 : 0;
  return { width: width + (cols - 1) * gaps + 13, height: height + blocks * (rows - 1) * gaps + 13 };
}

/** Narrower panes are those of a phone. */
export const NARROW = 560;

/** The density at which a graph is drawn in a pane of this width. */
export function densityFor(model: GraphModel, paneWidth: number): Density {
  if (paneWidth < NARROW) return 'tight';
  const cards = model.cards.filter((card) => !card.compact).length + model.foldedGroups.length;
  return cards + model.pills.length > 9 ? 'dense' : 'roomy';
}

const DEEP = 5;

/** Is the graph so deep that its cards had better be wide than tall? */
export function isDeep(model: GraphModel, paneWidth: number): boolean {
  return paneWidth >= NARROW && depthOf(model) > DEEP;
}

function depthOf(model: GraphModel): number {
  const into = new Map<string, string[]>();
  for (const { source, target } of model.links) into.set(target, [...(into.get(target) ?? []), source]);
  const depth = new Map<string, number>();
  const open = [...into.keys()];
  while (open.length > 0) {
    const id = open.at(-1) ?? '';
    const before = into.get(id) ?? [];
    const unknown = before.filter((each) => !depth.has(each) && into.has(each));
    if (!depth.has(id) && unknown.length > 0) open.push(...unknown);
    else {
      open.pop();
      depth.set(id, 1 + Math.max(...before.map((each) => depth.get(each) ?? 1)));
    }
  }
  return Math.max(1, ...depth.values());
}

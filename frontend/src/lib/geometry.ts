import type { Value } from '../api/types';
import { BEAD_GAP, plan, type CellSize, type Density, type Plan } from './grid';
import type { Box, Card, Model, Pill } from './model';
import { formatShape } from './values';

export interface Size {
  width: number;
  height: number;
}

/** The measures of a card; the component draws by them and the layout counts with them. */
export interface CardPlan extends Size {
  plate: Plan;
  header: number;
  padding: number;
  /** Size of the beads' cells under the plate, and in the bucket. */
  beads: CellSize;
  bucketBeads: CellSize;
  /** Beads stand beside the plate. */
  beside: boolean;
}

/** Width of a character of JetBrains Mono, and of Inter on average, in units of the font size. */
const MONO = 0.6;
const SANS = 0.56;

/** Heights of the parts of a card. */
export const PART = {
  header: 36,
  denseHeader: 30,
  compactHeader: 26,
  /** From the plate to the beads, the line with the gradient's name included. */
  gradient: 38,
  denseGradient: 34,
  /** From the plate to the bucket, the bucket's own border, line and padding, less the card's padding it takes. */
  bucketGap: 12,
  bucketLine: 28,
  bucketEnd: 6,
  bucketOut: 6,
  border: 1,
  compactGap: 8,
} as const;

export const PILL_HEIGHT = 44;
export const BOX_HEIGHT = 60;

/** Names longer than this are cut. */
const MOST_NAME = 150;
const MOST_COMPACT_NAME = 118;

function beadCells(plate: Plan, width: number): CellSize {
  if (!plate.numbers) return plate.cell;
  const each = (width - (plate.cols - 1) * BEAD_GAP) / plate.cols;
  return { ...plate.cell, width: each };
}

/** Beads have wider gaps than the plate they stand under. */
export function beadsHeight(plate: Plan): number {
  if (!plate.numbers) return plate.height;
  return plate.height + plate.blocks * (plate.rows - 1) * (BEAD_GAP - 1);
}

function headerWidth(card: Card): number {
  const font = card.compact ? 12 : 15;
  const name = Math.min(card.compact ? MOST_COMPACT_NAME : MOST_NAME, card.label.length * MONO * font);
  const note = card.version === null ? formatShape(card.tensor.shape) : `version ${card.version}`;
  return name + (note ? 14 + note.length * SANS * 12 : 0);
}

function densityOf(card: Card, density: Density): Density {
  return card.compact ? 'tight' : density;
}

function fitsBeside(card: Card, plate: Plan): boolean {
  return (
    card.compact && plate.numbers && plate.cols <= 2 && plate.rows <= 2 && plate.blocks === 1 && !plate.cut
  );
}

interface Parts {
  card: Card;
  plate: Plan;
  dense: boolean;
}

function compactSize({ card, plate }: Parts, beside: boolean, padding: number): Size {
  const beads = beadsHeight(plate);
  const across =
    beside && card.gradient ? 2 * plate.width + PART.compactGap + (plate.cols - 1) * 3 : plate.width;
  const down = !card.gradient ? plate.height : beside ? beads : plate.height + PART.compactGap + beads;
  const width = Math.max(across, headerWidth(card)) + 2 * padding;
  return { width, height: PART.compactHeader + down + padding };
}

function normalSize({ card, plate, dense }: Parts, padding: number): Size {
  const beads = beadsHeight(plate);
  const gradient = card.gradient ? (dense ? PART.denseGradient : PART.gradient) + beads : 0;
  const bucket = card.bucket
    ? PART.bucketGap + PART.bucketLine + beads + PART.bucketEnd - PART.bucketOut + 2 * PART.border
    : 0;
  const header = dense ? PART.denseHeader : PART.header;
  const least = card.bucket ? 84 : card.gradient ? 76 : 0;
  const width = Math.max(plate.width, headerWidth(card), least) + 2 * padding;
  return { width, height: header + plate.height + gradient + bucket + padding };
}

/** How a card is drawn, and its size. */
export function planCard(card: Card, density: Density): CardPlan {
  const own = densityOf(card, density);
  const plate = plan(card.tensor.value, own);
  const dense = density !== 'roomy';
  const beside = fitsBeside(card, plate);
  const padding = card.compact ? 8 : dense ? 10 : 13;
  const parts = { card, plate, dense };
  const size = card.compact ? compactSize(parts, beside, padding) : normalSize(parts, padding);
  const header = card.compact ? PART.compactHeader : dense ? PART.denseHeader : PART.header;
  const outer = {
    width: Math.ceil(size.width) + 2 * PART.border,
    height: Math.ceil(size.height) + 2 * PART.border,
  };
  const beads = beadCells(plate, plate.width);
  return { ...outer, plate, header, padding, beside, beads, bucketBeads: beadCells(plate, plate.width - 1) };
}

/** The size of a function: its symbol, its name, its grad_fn. */
export function pillSize(pill: Pill, density: Density): Size {
  const dense = density !== 'roomy';
  const [name, small] = dense ? [13, 11.5] : [14, 12];
  const gradFn = pill.node.grad_fn ? 10 + pill.node.grad_fn.length * MONO * small : 0;
  const mark = pill.region ? Math.max(dense ? 24 : 30, stripWidth(pill)) : dense ? 24 : 30;
  const label = Math.min(180, pill.label.length * MONO * name);
  return { width: Math.ceil(7 + mark + 10 + label + gradFn + 18), height: dense ? 36 : PILL_HEIGHT };
}

/** Width of the little map of the written region: at most eight columns. */
export function stripWidth(pill: Pill): number {
  const cols = Math.min(8, pill.region?.shape.at(-1) ?? 1);
  return cols * 9 + (cols - 1) * 2 + 6;
}

/** The size of a folded group. */
export function boxSize(box: Box, title: string, note: string): Size {
  const words = Math.max(title.length * MONO * 13, note.length * SANS * 11.5);
  const value = box.value ? plan(box.value.value, 'tight') : null;
  const width = 24 + words + (value ? 16 + value.width : 0);
  return { width: Math.ceil(width), height: Math.max(BOX_HEIGHT, value ? value.height + 18 : 0) };
}

/** The size of a chip: the beads, a border, some room. */
export function chipSize(value: Value): Size {
  const { width, height, rows, cols, numbers, blocks } = plan(value, 'chip');
  const gaps = numbers ? 2 : 0;
  return { width: width + (cols - 1) * gaps + 13, height: height + blocks * (rows - 1) * gaps + 13 };
}

/** The density at which a graph is drawn in a pane of this width. */
export function densityFor(model: Model, paneWidth: number): Density {
  if (paneWidth < 560) return 'tight';
  const cards = model.cards.filter((card) => !card.compact).length + model.boxes.length;
  return cards + model.pills.length > 9 ? 'dense' : 'roomy';
}

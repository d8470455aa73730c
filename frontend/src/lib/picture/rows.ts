import type { Value } from '../../api/types';
import type { Card, FoldedGroup, GraphModel, Pill } from '../graph/types';
import { formatShape } from '../trace/values';
import { advance, hasSign, MONO, SANS, type Size } from './geometry';
import type { LayoutNode, LayoutRequest } from './layout';
import { BEADS, BUCKET, planThumb, type Thumb } from './thumb';

/** Paddings and gaps of a row, and the width of the words beside a leaf. */
const ROW = { side: 10, top: 7, gap: 9, least: 40, words: 104, name: 132, radius: 15 };

/** A function in a row. */
export const SMALL_PILL = { height: 30, font: 12.5, sign: 22 };

const FOLDED = { least: 48, side: 12, gap: 12, mini: { height: 27, words: 92, gap: 8, perColumn: 2, most: 3 } };

/** How a tensor is drawn in a row, with the function that made it. */
export interface RowPlan extends Size {
  kind: 'row' | 'shelf' | 'mini';
  /** Width of the function, 0 where none is drawn here. */
  pill: number;
  /** Width of the column of name and shape. */
  words: number;
  value: Thumb;
  gradient: Thumb | null;
  bucket: Thumb | null;
}

/** How a folded group is drawn. */
export interface FoldedPlan extends Size {
  value: Thumb | null;
  words: number;
}

/** The name of a tensor in a row: a parameter's last part stands on the shelf of its module. */
export function rowName(card: Card): string {
  if (card.shelf) return card.label.split('.').at(-1) ?? card.label;
  return card.maker && card.tensor.names.length === 0 ? '' : card.label;
}

/** The width of a function in a row. */
export function smallPillWidth(pill: Pill): number {
  const label = Math.min(15, pill.label.length) * MONO * SMALL_PILL.font;
  return Math.ceil(label + (hasSign(pill) ? 4 + SMALL_PILL.sign + 6 : 12) + 12);
}

function beadsSize(thumb: Thumb): Size {
  const { grid, width, height } = thumb;
  if (!grid) return { width, height };
  return { width: width + (grid.cols - 1) * (BEADS - 1), height: height + (grid.rows - 1) * (BEADS - 1) };
}

function planRow(card: Card, gradients: readonly Value[]): RowPlan {
  const value = planThumb(card.tensor.value, 'card', gradients);
  const name = rowName(card);
  const note = Math.max(formatShape(card.tensor.shape).length, card.version === null ? 0 : 10) * SANS * 11;
  const lines = [Math.min(ROW.name, name.length * MONO * 13), note, card.bucket ? 13 * SANS * 11.5 : 0];
  const words = Math.ceil(Math.max(...lines, 0));
  const pill = card.maker ? smallPillWidth(card.maker) : 0;
  const beads = beadsSize(value);
  const parts = [
    pill,
    words,
    value.width,
    card.gradient ? beads.width + 4 : 0,
    card.bucket ? beads.width + 2 * BUCKET : 0,
  ].filter((part) => part > 0);
  const inner = parts.reduce((sum, part) => sum + part + ROW.gap, -ROW.gap);
  const tall = Math.max(
    value.height,
    card.gradient ? beads.height + 4 : 0,
    card.bucket ? beads.height + 2 * BUCKET - 4 : 0,
    ((name ? 1 : 0) + (note ? 1 : 0) + (card.bucket ? 1 : 0)) * 15,
    pill ? SMALL_PILL.height - 4 : 0,
  );
  return {
    kind: 'row',
    width: Math.ceil(inner) + 2 * ROW.side,
    height: Math.max(ROW.least, tall + 2 * ROW.top),
    pill,
    words,
    value,
    gradient: card.gradient ? value : null,
    bucket: card.bucket ? value : null,
  };
}

function planShelfRow(card: Card, gradients: readonly Value[], isMini: boolean): RowPlan {
  const value = planThumb(card.tensor.value, isMini ? 'mini' : 'shelf', gradients);
  const beads = beadsSize(value);
  const words = isMini ? FOLDED.mini.words : ROW.words;
  const width = beads.width + 2 * (isMini ? 5 : BUCKET) + value.width + words + 2 * (isMini ? 7 : 11);
  return {
    kind: isMini ? 'mini' : 'shelf',
    width: Math.ceil(width),
    height: isMini ? FOLDED.mini.height : Math.max(46, beads.height + 2 * BUCKET),
    pill: 0,
    words,
    value,
    gradient: null,
    bucket: value,
  };
}

/** How the tensor of a card is drawn in a picture of rows. `isMini`: its module is folded. */
export function planRowCard(card: Card, gradients: readonly Value[] = [], isMini = false): RowPlan {
  return card.shelf ? planShelfRow(card, gradients, isMini) : planRow(card, gradients);
}

/** The size of a folded group, and where its parameters stand in it. */
export function planFolded(
  folded: FoldedGroup,
  title: string,
  note: string,
  plans: ReadonlyMap<string, RowPlan>,
): { plan: FoldedPlan; minis: { id: string; x: number; y: number }[] } {
  const words = Math.ceil(Math.max(advance(title, MONO) * 13, advance(note, SANS) * 11.5, 60));
  const value = folded.value ? planThumb(folded.value.value, 'card') : null;
  const beads = value ? beadsSize(value) : { width: 0, height: 0 };
  const { mini } = FOLDED;
  const rows = Math.max(mini.perColumn, Math.ceil(folded.shelf.length / mini.most));
  const columns = Math.ceil(folded.shelf.length / rows);
  const each = folded.shelf.reduce((most, id) => Math.max(most, plans.get(id)?.width ?? 0), 0);
  const shown = value ? FOLDED.gap + value.width + (folded.gradient ? FOLDED.gap + beads.width + 4 : 0) : 0;
  const left = FOLDED.side + words + shown + (columns > 0 ? FOLDED.gap : 0);
  const shelf = Math.min(rows, folded.shelf.length) * (mini.height + 2) - 2;
  const height = Math.max(FOLDED.least, (value?.height ?? 0) + 14, beads.height + 16, shelf + 14);
  const width = left + columns * (each + mini.gap) - (columns > 0 ? mini.gap : 0) + FOLDED.side;
  const top = (height - shelf) / 2;
  const minis = folded.shelf.map((id, k) => ({
    id,
    x: left + Math.floor(k / rows) * (each + mini.gap),
    y: top + (k % rows) * (mini.height + 2),
  }));
  return { plan: { width: Math.ceil(width), height: Math.ceil(height), value, words }, minis };
}

/** From row to row, where edges and arrows are; and between neighbours. */
const GAPS = { gap: 24, flight: 24, space: 24 };

/** Height of the title of a turn's frame, and of other frames. */
const TITLE = { turn: 28, other: 6 };

/** What a picture of rows is made of before it has places. */
export function rowsRequest(
  model: GraphModel,
  plans: ReadonlyMap<string, RowPlan>,
  text: { title: (folded: FoldedGroup) => string; note: (folded: FoldedGroup) => string },
): { request: LayoutRequest; folded: Map<string, FoldedPlan> } {
  const folded = new Map<string, FoldedPlan>();
  const minis = new Map<string, LayoutNode['within']>();
  for (const group of model.foldedGroups) {
    const found = planFolded(group, text.title(group), text.note(group), plans);
    folded.set(group.id, found.plan);
    for (const { id, x, y } of found.minis) minis.set(id, { box: group.id, x, y });
  }
  const nodes: LayoutNode[] = [
    ...model.cards.map(({ id }) => {
      const within = minis.get(id);
      return { id, ...sizeOnly(plans.get(id)!), ...(within ? { within } : {}) };
    }),
    ...model.pills.map((pill) => ({ id: pill.id, width: smallPillWidth(pill), height: SMALL_PILL.height })),
    ...model.foldedGroups.map(({ id }) => ({ id, ...sizeOnly(folded.get(id)!) })),
  ];
  const links = model.links.map(({ id, source, target, operand, flies }) => ({ id, source, target, operand, flies }));
  const clusters = model.groupFrames.map(({ group, members, parent, shelf }) => ({
    id: group.id,
    members,
    parent,
    title: group.turn ? TITLE.turn : TITLE.other,
    shelf,
  }));
  return { request: { nodes, links, clusters, ...GAPS }, folded };
}

function sizeOnly({ width, height }: Size): Size {
  return { width, height };
}

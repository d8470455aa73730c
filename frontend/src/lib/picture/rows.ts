import type { Value } from '../../api/types';
import type { Card, FoldedGroup, GraphModel, Pill } from '../graph/types';
import { groupBy } from '../group_by';
import { opName } from '../trace/names';
import { formatShape } from '../trace/values';
import { advance, hasSign, markWidth, MONO, SANS, sizeOnly, type Size } from './geometry';
import { textWidth } from './grid';
import { rankOperands } from '../graph/model';
import type { LayoutNode, LayoutRequest } from './layout';
import { BESIDE, INSIDE } from './layout/spacing';
import { isPacked, packLeaves } from './layout/packed_leaves';
import type { Turn } from '../trace/places';
import { layoutLinks } from './scene';
import { beadsSize, BUCKET, planThumb, type Gathered, type Thumb } from './thumb';

/** Words grow by so much where a picture is drawn as small as it may be. */
const GROWTH = 1.25;
/** Size of the words in a picture that is drawn so small. */
const LEAST_FONT = 14;
/** The height of name, norm and gradient of a leaf, one above the other, so grown. */
const THREE_LINES = 56;

/** Paddings and gaps of a row, and the least and greatest width of the words beside a leaf. */
const ROW = { side: 10, top: 7, gap: 9, least: 40, words: 100, most: 156, letters: 17 };

/** The least widths of the columns of a shelf: the buckets, then the values. */
const SHELF = { bucket: 84, value: 66 };

/** A function in a row. */
export const SMALL_PILL = { height: 30, font: 12.5, sign: 22 };

const FOLDED = {
  /** Height of two lines, and of three: a module tells its kind. */
  least: 48,
  kind: 66,
  /** Of the name of the function at work within. */
  letters: 15,
  side: 12,
  gap: 12,
  mini: { height: 26, gap: 8, perColumn: 2, columns: 3, letters: 15, tall: 8, over: 0.25 },
  /** Height of a leaf where there are very many. */
  slim: 19,
};

function heightOf(room: Gathered): number {
  return room === 'slim' ? FOLDED.slim : FOLDED.mini.height;
}

/** How a tensor is drawn in a row, with the function that made it. */
export interface RowPlan extends Size {
  /** What the tensor is called there. */
  name: string;
  kind: 'row' | 'leaf' | 'shelf' | 'mini';
  /** Width of the function, 0 where none is drawn here. */
  pill: number;
  /** Width of the column of name and shape. */
  words: number;
  /** On a shelf: the widths of its columns of buckets and of values. */
  columns: { bucket: number; value: number };
  value: Thumb;
  gradient: Thumb | null;
  bucket: Thumb | null;
}

/** How a folded group is drawn. */
export interface FoldedPlan extends Size {
  value: Thumb | null;
  words: number;
}

/** The width of a function in a row. */
export function smallPillWidth(pill: Pill): number {
  const label = advance(pill.label.slice(0, 18), MONO) * Math.max(SMALL_PILL.font, 11 * GROWTH);
  if (pill.region) return Math.ceil(markWidth(pill, true) + label + 20);
  return Math.ceil(label + (hasSign(pill) ? 4 + SMALL_PILL.sign + 6 : 14) + 16);
}

function planRow(card: Card, name: string, gradients: readonly Value[], isWide: boolean): RowPlan {
  const value = planThumb(card.tensor.value, 'card', gradients);
  if (isWide && card.bucket && !card.maker && !card.gradient && value.height >= TALL)
    return planTallLeaf(card, name, value);
  const extra =
    (card.version === null ? 0 : 10) +
    (card.from === null ? 0 : 7 + 2 * Number(card.gap) + String(card.from).length);
  const note = (textWidth(formatShape(card.tensor.shape)) + extra * SANS) * 11;
  const lines = [advance(name, MONO) * 13, note, card.bucket ? 13 * SANS * 11.5 : 0];
  const words = Math.ceil(Math.max(...lines, 0) * GROWTH);
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
    card.bucket ? THREE_LINES : ((name ? 1 : 0) + (note ? 1 : 0)) * 15,
    pill ? SMALL_PILL.height - 4 : 0,
  );
  return {
    kind: 'row',
    name,
    width: Math.ceil(inner) + 2 * ROW.side,
    height: Math.max(ROW.least, tall + 2 * ROW.top),
    pill,
    words,
    columns: { bucket: 0, value: 0 },
    value,
    gradient: card.gradient ? value : null,
    bucket: card.bucket ? value : null,
  };
}

/** From this height on the words about a leaf stand over its value and its bucket. */
const TALL = 44;
/** The line of words over it, the pips that count shares, the sides, and the gap between value and bucket. */
const TALL_LEAF = { words: 20, pips: 9, side: 7, gap: 6 };

/** A leaf of its own, as two columns: its name over the value, `.grad` over the bucket. */
function planTallLeaf(card: Card, name: string, value: Thumb): RowPlan {
  const beads = beadsSize(value);
  const named = advance(name, MONO) * 13 + 7;
  const words = Math.ceil((named + textWidth(formatShape(card.tensor.shape)) * 11) * GROWTH);
  const first = Math.max(words, value.width);
  const grad = Math.ceil(17 * SANS * 11 * GROWTH);
  const second = Math.max(grad, beads.width + 2 * BUCKET);
  return {
    kind: 'leaf',
    name,
    width: Math.ceil(first + TALL_LEAF.gap + second) + 2 * TALL_LEAF.side,
    height: Math.ceil(TALL_LEAF.words + beads.height + 2 * BUCKET + TALL_LEAF.pips + ROW.top),
    pill: 0,
    words: first,
    columns: { bucket: second, value: first },
    value,
    gradient: null,
    bucket: value,
  };
}

/** The width of the words beside a leaf: its name and its shape stand in one line. */
function besideLeaf(card: Card, name: string): number {
  const shape = textWidth(formatShape(card.tensor.shape)) * 11;
  const line = Math.ceil((advance(name, MONO) * 13 + 6 + shape) * GROWTH);
  return Math.min(ROW.most, Math.max(ROW.words, line));
}

/** The border, margin and padding of a small bucket, those of a small gradient, and the gaps between. */
const MINI = { bucket: 10, gradient: 4, gap: 7 };

/** The width of a small bucket, and of the gradient beside it, where there is one. */
function beforeValue(value: Thumb, gradient: Thumb | null): number {
  return beadsSize(value).width + MINI.bucket + gradientWidth(gradient);
}

function gradientWidth(gradient: Thumb | null): number {
  return gradient ? MINI.gap + beadsSize(gradient).width + MINI.gradient : 0;
}

function planShelfRow(
  card: Card,
  name: string,
  gradients: readonly Value[],
  room: Gathered | 'shelf',
): RowPlan {
  const isMini = room !== 'shelf';
  const value = planThumb(card.tensor.value, room, gradients);
  const beads = beadsSize(value);
  const words = isMini ? Math.ceil(advance(name, MONO) * 11 * GROWTH) : besideLeaf(card, name);
  const columns = isMini
    ? { bucket: 0, value: 0 }
    : {
        bucket: Math.max(beads.width + 2 * BUCKET, SHELF.bucket),
        value: Math.max(value.width, SHELF.value),
      };
  const gradient = isMini && card.gradient ? value : null;
  const width = isMini
    ? beforeValue(value, gradient) + value.width + words + 2 * MINI.gap
    : columns.bucket + columns.value + words + 22;
  return {
    kind: isMini ? 'mini' : 'shelf',
    name,
    width: Math.ceil(width),
    height: isMini ? heightOf(room) : Math.max(THREE_LINES, beads.height + 2 * BUCKET),
    pill: 0,
    words,
    columns,
    value,
    gradient,
    bucket: value,
  };
}

/** Gives all rows of a shelf the same columns. */
export function alignShelves(model: GraphModel, plans: Map<string, RowPlan>): void {
  for (const { shelf } of model.groupFrames) {
    const rows = shelf.flatMap((id) => plans.get(id) ?? []);
    const most = (column: 'bucket' | 'value') =>
      rows.reduce((widest, { columns }) => Math.max(widest, columns[column]), 0);
    const columns = { bucket: most('bucket'), value: most('value') };
    const words = rows.reduce((widest, row) => Math.max(widest, row.words), 0);
    for (const id of shelf) {
      const plan = plans.get(id);
      if (plan)
        plans.set(id, { ...plan, columns, words, width: columns.bucket + columns.value + words + 22 });
    }
  }
}

/** Gives the rows of leaves that stand together the same columns, so that their names begin beneath each other. */
export function alignPacked(rows: Map<string, RowPlan>): void {
  const widest = (width: (plan: RowPlan) => number) =>
    [...rows.values()].reduce((most, plan) => Math.max(most, width(plan)), 0);
  const value = widest((plan) => plan.value.width);
  const before = widest((plan) => beforeValue(plan.value, plan.gradient));
  for (const [id, plan] of rows) {
    const columns = { bucket: before - gradientWidth(plan.gradient), value };
    const width = Math.ceil(before + value + plan.words + 2 * MINI.gap);
    rows.set(id, { ...plan, columns, width });
  }
}

/** How the tensor of a card is drawn in a picture of rows, called so. `isMini`: its module is folded; `isWide`: it may be tall;
    `packed`: the room of one that stands with all other leaves. */
export function planRowCard(
  card: Card,
  name: string,
  gradients: readonly Value[] = [],
  isMini = false,
  isWide = false,
  packed: Gathered = 'mini',
): RowPlan {
  if (isPacked(card)) return planShelfRow(card, name, gradients, packed);
  return card.shelf
    ? planShelfRow(card, name, gradients, isMini ? 'mini' : 'shelf')
    : planRow(card, name, gradients, isWide);
}

/** The size of a folded group, and where its parameters stand in it. */
export function planFolded(
  folded: FoldedGroup,
  title: string,
  note: string,
  plans: ReadonlyMap<string, RowPlan>,
  room: number,
  gradients: readonly Value[] = [],
): { plan: FoldedPlan; minis: { id: string; x: number; y: number }[] } {
  const [name = '', kind = ''] = title.split(' · ');
  const letters = folded.group.nodes.reduce((most, { op }) => Math.max(most, opName(op).length), 0);
  const working = Math.min(letters, FOLDED.letters) * MONO * 11.5 * GROWTH;
  const widths = [
    advance(name, MONO) * LEAST_FONT,
    advance(kind, MONO) * LEAST_FONT,
    advance(note, SANS) * LEAST_FONT,
    working,
    60,
  ];
  const words = Math.ceil(Math.max(...widths));
  const value = folded.value ? planThumb(folded.value.value, 'card', gradients) : null;
  const beads = value ? beadsSize(value) : { width: 0, height: 0 };
  const { mini } = FOLDED;
  const each = folded.shelf.reduce((most, id) => Math.max(most, plans.get(id)?.width ?? 0), 0);
  const shown = value ? FOLDED.gap + value.width + (folded.gradient ? FOLDED.gap + beads.width + 4 : 0) : 0;
  const left = FOLDED.side + words + shown + (folded.shelf.length > 0 ? FOLDED.gap : 0);
  // Rather a little too wide than a long list.
  const over = folded.shelf.length > mini.tall ? mini.over : 0;
  const fitting = Math.floor((room - left - FOLDED.side + mini.gap) / (each + mini.gap) + over);
  const most = Math.max(1, Math.min(mini.columns, fitting));
  const rows = Math.max(mini.perColumn, Math.ceil(folded.shelf.length / most));
  const columns = Math.ceil(folded.shelf.length / rows);
  const shelf = Math.min(rows, folded.shelf.length) * (mini.height + 2) - 2;
  const height = Math.max(
    kind ? FOLDED.kind : FOLDED.least,
    (value?.height ?? 0) + 14,
    beads.height + 16,
    shelf + 14,
  );
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

/** Height of the title of a turn's frame, and of other frames; width of its buttons and of the gaps around its words. */
const TITLE = { turn: 30, other: 6, buttons: 128 };

/** Constants that one function reads besides the result of another: they stand at its side. */
function besides({ cards, pills, foldedGroups, links }: GraphModel): Map<string, string> {
  const made = new Set(
    [...cards.filter(({ maker }) => maker), ...pills, ...foldedGroups].map(({ id }) => id),
  );
  const into = groupBy(links, ({ target }) => target);
  const outOf = groupBy(links, ({ source }) => source);
  const found = new Map<string, string>();
  for (const { id, constant, maker, shelf } of cards) {
    const [link, ...more] = outOf.get(id) ?? [];
    if (!constant || maker || shelf || into.has(id) || !link || more.length > 0) continue;
    const isChained = (into.get(link.target) ?? []).some(
      ({ source }) => made.has(source) || into.has(source),
    );
    if (isChained) found.set(id, link.target);
  }
  return found;
}

/** In less room nothing stands beside anything. */
const NARROW_ROOM = 480;

/** The width that the frames around each element leave to it. */
function roomsWithin(
  { groupFrames }: GraphModel,
  plans: ReadonlyMap<string, RowPlan>,
  room: number,
): (id: string) => number {
  const taken = new Map<string, number>();
  for (const { members, shelf } of groupFrames) {
    const shelved = shelf.reduce((most, id) => Math.max(most, plans.get(id)?.width ?? 0), 0);
    const sides = 2 * INSIDE.side + (shelved > 0 ? INSIDE.shelf + shelved : 0);
    for (const id of members) taken.set(id, (taken.get(id) ?? 0) + sides);
  }
  return (id) => room - (taken.get(id) ?? 0);
}

/** `turn 3 of 5`, the loop's variable and the buttons to the turns beside it. */
function turnTitleWidth({ number, of, variable }: Turn): number {
  const title = advance(`turn ${number} of ${of}`, SANS) * 13;
  const shown = advance((variable ?? '').slice(0, 24), MONO) * 12;
  return Math.ceil((title + shown) * GROWTH) + TITLE.buttons;
}

/** What a picture of rows is made of before it has places. `room`: the width that it should not exceed. */
export function rowsRequest(
  model: GraphModel,
  plans: ReadonlyMap<string, RowPlan>,
  room: number,
  text: { title: (folded: FoldedGroup) => string; note: (folded: FoldedGroup) => string },
  gradients: ReadonlyMap<string, Value[]> = new Map(),
): { request: LayoutRequest; folded: Map<string, FoldedPlan> } {
  const folded = new Map<string, FoldedPlan>();
  const minis = new Map<string, LayoutNode['within']>();
  const roomOf = roomsWithin(model, plans, room);
  for (const group of model.foldedGroups) {
    const shown = gradients.get(group.value?.id ?? '');
    const found = planFolded(group, text.title(group), text.note(group), plans, roomOf(group.id), shown);
    folded.set(group.id, found.plan);
    for (const { id, x, y } of found.minis) minis.set(id, { box: group.id, x, y });
  }
  const packed = packLeaves(model.cards, plans, room);
  for (const [id, within] of packed?.within ?? []) minis.set(id, within);
  const sides = room < NARROW_ROOM ? new Map<string, string>() : besides(model);
  const widthOf = (id: string) => plans.get(id)?.width ?? folded.get(id)?.width ?? 0;
  for (const [id, target] of sides)
    if (widthOf(id) + BESIDE + widthOf(target) > roomOf(target)) sides.delete(id);
  const nodes: LayoutNode[] = [
    ...(packed ? [packed.node] : []),
    ...model.cards.map(({ id }) => {
      const [within, beside] = [minis.get(id), sides.get(id)];
      return { id, ...sizeOnly(plans.get(id)!), ...(within && { within }), ...(beside && { beside }) };
    }),
    ...model.pills.map((pill) => ({ id: pill.id, width: smallPillWidth(pill), height: SMALL_PILL.height })),
    ...model.foldedGroups.map(({ id }) => ({ id, ...sizeOnly(folded.get(id)!) })),
  ];
  const apart = new Set([
    ...minis.keys(),
    ...sides.keys(),
    ...model.groupFrames.flatMap(({ shelf }) => shelf),
  ]);
  const links = layoutLinks(model);
  // Operands are counted among those that come from above.
  rankOperands(links.filter(({ source }) => !apart.has(source)));
  const clusters = model.groupFrames.map(({ group, members, parent, shelf }) => ({
    id: group.id,
    members,
    parent,
    title: group.turn ? TITLE.turn : TITLE.other,
    ...(group.turn && { least: turnTitleWidth(group.turn) }),
    shelf,
  }));
  return { request: { nodes, links, clusters, ...GAPS, room }, folded };
}

import type { Trace, Value } from '../../api/types';
import { between } from '../animation/easing';
import type { ChipState } from '../animation/element_states';
import type { FoldedGroup, GraphModel, GroupFrame } from '../graph/types';
import { unweightedBy } from '../trace/visibility';
import { lengthOf, pointAlong } from './curve_path';
import {
  chipSize,
  densityFor,
  foldedGroupSize,
  isDeep,
  pillSize,
  planCard,
  sizeOnly,
  type CardPlan,
} from './geometry';
import type { Density } from './grid';
import type { Curve, LayoutLink, LayoutRequest, LayoutResult, Point, Rect } from './layout';

type Gaps = Pick<LayoutRequest, 'gap' | 'space'>;

const DENSE: Gaps = { gap: 22, space: 36 };

/** Room above a function beside the chip that flies there. */
const FLIGHT = { least: 56, most: 110, air: { roomy: 36, other: 18 } };

/** Distances between neighbours and above functions, by density. */
const GAPS: Partial<Record<Density, Gaps>> = {
  roomy: { gap: 26, space: 120 },
  dense: DENSE,
  tight: { gap: 20, space: 28 },
};

/** Room for the words `gradient` and `all ones`, and an arrow. */
export const TAG = { width: 124, height: 40, gap: 4 };

/** What a picture is made of before it has places: the sizes of all elements. */
export interface Scene {
  density: Density;
  cardPlans: Map<string, CardPlan>;
  request: LayoutRequest;
}

export interface FoldedGroupText {
  title: (folded: FoldedGroup) => string;
  note: (folded: FoldedGroup) => string;
}

/** So much room that the chips of most tensors fly freely. */
function flightOf(model: GraphModel, density: Density): number {
  const tallest = model.cards
    .filter((card) => card.gradient || card.bucket)
    .reduce((most, card) => Math.max(most, chipSize(card.tensor.value).height), 0);
  const air = density === 'roomy' ? FLIGHT.air.roomy : FLIGHT.air.other;
  return Math.max(FLIGHT.least, Math.min(FLIGHT.most, tallest + air));
}

/** The gradients that each tensor shows in the course of the run. */
export function gradientsOf(trace: Trace): Map<string, Value[]> {
  const gradients = new Map<string, Value[]>();
  const note = (id: string, value: Value) => {
    const list = gradients.get(id);
    if (list) list.push(value);
    else gradients.set(id, [value]);
  };
  for (const pass of trace.passes) {
    for (const [id, value] of Object.entries(pass.gradients)) note(id, value);
    for (const sum of pass.accumulations) note(sum.tensor, sum.after);
  }
  return gradients;
}

/** Measures all elements of a model. */
export function buildScene(trace: Trace, model: GraphModel, paneWidth: number, text: FoldedGroupText): Scene {
  const gradients = gradientsOf(trace);
  const density = densityFor(model, paneWidth);
  const wide = isDeep(model, paneWidth);
  const cardPlans = new Map(
    model.cards.map((card) => [card.id, planCard(card, density, wide, gradients.get(card.id))]),
  );
  const nodes = [
    ...model.cards.map(({ id }) => ({ id, ...sizeOnly(cardPlans.get(id)!) })),
    ...model.pills.map((pill) => ({ id: pill.id, ...pillSize(pill, density) })),
    ...model.foldedGroups.map((folded) => ({
      id: folded.id,
      ...foldedGroupSize(folded, text.title(folded), text.note(folded)),
    })),
  ];
  const links = layoutLinks(model);
  const clusters = model.groupFrames.map(({ group, members, parent }) => ({ id: group.id, members, parent }));
  return {
    density,
    cardPlans,
    request: { nodes, links, clusters, ...(GAPS[density] ?? DENSE), flight: flightOf(model, density) },
  };
}

/** What a layout needs to know of the links. */
export function layoutLinks({ links }: GraphModel): LayoutLink[] {
  return links.map(({ id, source, target, operand, flies }) => ({ id, source, target, operand, flies }));
}

/** Where the words that name the given gradient stand, and on which side of the card. */
export interface TagPosition extends Point {
  side: 'left' | 'right';
}

function overlaps(x: number, y: number, place: Rect): boolean {
  const { width, height } = TAG;
  return (
    x < place.x + place.width && x + width > place.x && y < place.y + place.height && y + height > place.y
  );
}

/** Beside the beads of each root, on the preferred side where that is free. */
export function placeTags(
  trace: Trace,
  layout: LayoutResult,
  preferred: TagPosition['side'] = 'left',
): Map<string, TagPosition> {
  const roots = new Set(trace.passes.flatMap((pass) => pass.roots.map((root) => root.tensor)));
  if (trace.error?.tensor && unweightedBy(trace.error)) roots.add(trace.error.tensor);
  const tags = new Map<string, TagPosition>();
  const others = Object.entries(layout.places);
  for (const id of roots) {
    const card = layout.places[id];
    if (!card) continue;
    const y = card.y + card.height - Math.min(card.height / 2, 76) - TAG.height / 2;
    const sides = [
      { side: 'left', x: card.x - TAG.width - TAG.gap, y },
      { side: 'right', x: card.x + card.width + TAG.gap, y },
    ] as const;
    const inOrder = preferred === 'left' ? sides : sides.toReversed();
    const free = inOrder.find(
      ({ x }) => !others.some(([other, place]) => other !== id && overlaps(x, y, place)),
    );
    tags.set(id, free ?? inOrder[0] ?? sides[0]);
  }
  return tags;
}

/** The box around the whole picture, tags and frames included. */
export function pictureBounds(
  layout: LayoutResult,
  tags: Iterable<TagPosition>,
  frames: Iterable<Rect>,
): Rect {
  const bounds = { left: 0, top: 0, right: layout.width, bottom: layout.height };
  const include = ({ x, y, width, height }: Rect) => {
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x + width);
    bounds.bottom = Math.max(bounds.bottom, y + height);
  };
  for (const { x } of tags) include({ x, y: 0, width: TAG.width, height: 0 });
  for (const frame of frames) include(frame);
  const { left, top, right, bottom } = bounds;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Chips that wait for each other stand this far apart, in rows; where they are many, they are drawn smaller. */
const ROW_GAP = 22;
const ROW = { few: 3, many: 4, scale: 0.72, rows: 3 };

/** How large a chip is drawn. */
export function chipScale(chip: ChipState, style: 'cards' | 'rows' = 'cards'): number {
  if (style === 'rows') return 1 - 0.45 * between(chip.at, 0.8, 1);
  return chip.of > ROW.few ? 1 - (1 - ROW.scale) * between(chip.at, 0.7, 1) : 1;
}

function rowPlace(chip: ChipState, card: Rect): Point {
  const size = chipSize(chip.value);
  const [perRow, scale] = chip.of > ROW.few ? [ROW.many, ROW.scale] : [ROW.few, 1];
  const row = Math.min(ROW.rows - 1, Math.floor(chip.slot / perRow));
  const column = chip.slot - Math.floor(chip.slot / perRow) * perRow;
  const inRow = Math.min(perRow, chip.of - row * perRow);
  const step = (size.width + ROW_GAP) * scale;
  return {
    x: card.x + card.width / 2 + (column - (inRow - 1) / 2) * step,
    y: card.y + card.height + 6 + (size.height * scale + 4) * (row + 0.5),
  };
}

/** Where the centre of a chip is: along its edge, and at the end beside the others that it is added to. */
export function placeChip(chip: ChipState, layout: LayoutResult, link: string, target: string): Point | null {
  const curve = layout.curves[link];
  const card = layout.places[target];
  if (!curve || !card) return null;
  const { height } = chipSize(chip.value);
  const point = pointAlong(curve, chip.at);
  const stop = { x: point.x, y: Math.max(point.y, card.y + card.height + height / 2 - 4) };
  if (chip.of < 2) return stop;
  const row = rowPlace(chip, card);
  const t = between(chip.at, 0.7, 1);
  return { x: stop.x + (row.x - stop.x) * t, y: stop.y + (row.y - stop.y) * t };
}

/** The same in a picture of rows: chips stop beside the bucket, and above what they belong to. */
export function placeRowChip(chip: ChipState, layout: LayoutResult, link: string): Point | null {
  const curve = layout.curves[link];
  if (!curve) return null;
  const point = pointAlong(curve, Math.min(0.94, chip.at));
  return chip.of < 2 ? point : { x: point.x + (chip.slot - (chip.of - 1) / 2) * 20 * chip.at, y: point.y };
}

/** More shares than this do not stand side by side at a bucket: it counts them, and shows their sum so far. */
export const MOST_STANDING = 3;

/** A chip as a row shows it on its way to a bucket; null where the bucket counts it. */
export function countedChip(chip: ChipState): ChipState | null {
  if (chip.of <= MOST_STANDING) return chip;
  return chip.at < 1 ? { ...chip, of: 1 } : null;
}

/** From a frame to what it holds, with the line of its title; and to a frame within. */
const FRAME = { margin: 12, step: 10, title: 16 };

/** The places of all frames, by group. */
export function placeFrames(frames: GroupFrame[], layout: LayoutResult): Map<string, Rect> {
  if (layout.frames) return new Map(Object.entries(layout.frames));
  return new Map(
    frames.flatMap((frame) => {
      const place = frameAround(frame, layout);
      return place ? [[frame.group.id, place] as const] : [];
    }),
  );
}

/** The rectangle around the members of a frame, and around the frames within. */
function frameAround({ members, layers }: GroupFrame, layout: LayoutResult): Rect | null {
  const places = members.flatMap((id) => layout.places[id] ?? []);
  if (places.length === 0) return null;
  const margin = FRAME.margin + layers * FRAME.step;
  const x = Math.min(...places.map((place) => place.x)) - margin;
  const y = Math.min(...places.map((place) => place.y)) - margin - FRAME.title - layers * FRAME.title;
  const right = Math.max(...places.map((place) => place.x + place.width)) + margin;
  const bottom = Math.max(...places.map((place) => place.y + place.height)) + margin;
  return { x, y, width: right - x, height: bottom - y };
}

/** From a hook to the tensor whose gradient it changes. */
const HOOK_AIR = 13;

/** Where a hook stands: on the edge by which the gradient comes, between several where they meet, else below a root. */
export function placeHook(tensor: string, { links }: GraphModel, layout: LayoutResult): Point | null {
  const card = layout.places[tensor];
  if (!card) return null;
  const ends = links.flatMap(({ id, source, flies }) => {
    const curve = source === tensor && flies ? layout.curves[id] : undefined;
    return curve && curve.length > 1 ? [beforeEnd(curve)] : [];
  });
  if (ends.length === 0) return { x: card.x + card.width / 2, y: card.y + card.height + HOOK_AIR };
  const sum = ends.reduce((one, other) => ({ x: one.x + other.x, y: one.y + other.y }));
  return { x: sum.x / ends.length, y: sum.y / ends.length };
}

function beforeEnd(curve: Curve): Point {
  const length = lengthOf(curve);
  return pointAlong(curve, length > 0 ? Math.max(0.5, 1 - HOOK_AIR / length) : 1);
}

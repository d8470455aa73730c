import type { Trace, Value } from '../../api/types';
import { autoFoldsOf, foldAt, groupsOf, type Folds, type Group } from '../graph/folding';
import { modelOf, foldingOf, sizeOf } from '../graph/model';
import type { GraphSource } from '../graph/source';
import type { TurnChoice } from '../graph/turns';
import type { GraphModel } from '../graph/types';
import { fitScale, type Pane } from './camera';
import type { LayoutRequest, LayoutResult } from './layout';
import { layOutInLayers } from './layout/layered';
import { finishNested } from './layout/link_curves';
import { layOutNested } from './layout/nested';
import { planRowCard, rowsRequest, type FoldedPlan, type RowPlan } from './rows';
import { buildScene, gradientsOf, type FoldedGroupText, type Scene } from './scene';

/** Smaller than this a picture is not drawn by itself: its smallest words are then 11 px high. */
export const LEGIBLE = 0.86;

/** The most elements that a picture shows by itself. */
const MOST = 64;

/** A picture of rows, with its places. */
export interface RowScene {
  style: 'rows';
  model: GraphModel;
  plans: Map<string, RowPlan>;
  folded: Map<string, FoldedPlan>;
  request: LayoutRequest;
  layout: LayoutResult;
}

/** A picture of cards, which Graphviz lays out. */
export interface CardScene extends Scene {
  style: 'cards';
  model: GraphModel;
}

export type Picture = RowScene | CardScene;

/** Gradients that each tensor shows, by trace. */
const known = new WeakMap<Trace, Map<string, Value[]>>();

function gradients(trace: Trace): Map<string, Value[]> {
  const found = known.get(trace) ?? gradientsOf(trace);
  known.set(trace, found);
  return found;
}

function rowScene(trace: Trace, model: GraphModel, pane: Pane, text: FoldedGroupText): RowScene {
  const folded = new Set(model.foldedGroups.map(({ id }) => id));
  const shown = gradients(trace);
  const plans = new Map(
    model.cards.map((card) => [card.id, planRowCard(card, shown.get(card.id), folded.has(card.shelf ?? ''))]),
  );
  const { request, folded: boxes } = rowsRequest(model, plans, roomOf(pane), text);
  const layout = finishNested(request, layOutNested(request));
  return { style: 'rows', model, plans, folded: boxes, request, layout };
}

/** The width of a picture that is as small as it may be. */
function roomOf({ width, insets }: Pane): number {
  return Math.max(320, (width - insets.left - insets.right) / LEGIBLE);
}

/** Does a graph have what only rows show: turns that take each other's places, or modules with parameters? */
function needsRows(groups: Group[], owners: ReadonlySet<string>): boolean {
  return groups.some(
    ({ kind, title, turn, children }) =>
      turn !== null || (kind === 'module' && isOwner(title, owners)) || needsRows(children, owners),
  );
}

function isOwner(path: string, owners: ReadonlySet<string>): boolean {
  return [...owners].some((owner) => owner === path || owner.startsWith(`${path}.`));
}

/** What the picture shows at a time, how large, and where: as large and as open as there is room for. */
export function compose(
  source: GraphSource,
  choice: TurnChoice,
  folds: Folds,
  pane: Pane,
  text: FoldedGroupText,
): Picture {
  const { trace } = source;
  const context = source.slices.at(choice);
  const groups = groupsOf(trace, context.nodes, context.tensors, source.scopes, source.turns);
  const isSmall = context.nodes.length + context.tensors.length <= 2 * MOST;
  if (isSmall && !needsRows(groups, source.owners)) {
    const model = modelOf(context, foldingOf(context, groups, folds), 'cards');
    const scene = buildScene(trace, model, pane.width, text);
    if (fitsAsCards(scene, model, pane)) return { ...scene, style: 'cards', model };
  }
  const candidates = autoFoldsOf(groups);
  let last: RowScene | null = null;
  let chosen = candidates.at(-1)!;
  for (const each of candidates) {
    const folding = foldAt(groups, {}, each);
    if (sizeOf(context, folding) > MOST && each !== candidates.at(-1)) continue;
    last = rowScene(trace, modelOf(context, folding, 'rows'), pane, text);
    chosen = each;
    if (fitScale(last.layout, pane) >= LEGIBLE) break;
  }
  if (last && Object.keys(folds).length === 0) return last;
  return rowScene(trace, modelOf(context, foldAt(groups, folds, chosen), 'rows'), pane, text);
}

/** Graphviz draws nearly as wide and as tall. */
function fitsAsCards({ request }: Scene, model: GraphModel, pane: Pane): boolean {
  const places = Object.values(layOutInLayers(request).places);
  const width = places.reduce((most, place) => Math.max(most, place.x + place.width), 0);
  const height = places.reduce((most, place) => Math.max(most, place.y + place.height), 0);
  return model.cards.length <= 9 || fitScale({ width, height }, pane) >= 0.8;
}

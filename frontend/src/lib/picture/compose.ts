import type { Trace, Value } from '../../api/types';
import { keyByPlace, markAway } from '../graph/away';
import type { GraphContext } from '../graph/context';
import {
  autoFoldsOf,
  foldAt,
  groupsOf,
  type AutoFold,
  type Folding,
  type Folds,
  type Group,
} from '../graph/folding';
import { modelOf, foldingOf, sizeOf } from '../graph/model';
import { isolate, type Isolation } from '../graph/parts/isolation';
import type { GraphSource } from '../graph/source';
import type { TurnChoice } from '../graph/turns';
import type { Card, GraphModel } from '../graph/types';
import { FAIR_BAND, fitScale, freeHeight, keepsBand, READABLE, type Pane } from './camera';
import { NARROW } from './geometry';
import type { LayoutRequest, LayoutResult } from './layout';
import { layOutInLayers } from './layout/layered';
import { finishNested } from './layout/link_curves';
import { layOutNested } from './layout/nested';
import { arrangeLeaves } from './names/longer_names';
import { GATHERINGS, rowNames, type Gathering } from './names/row_names';
import { alignShelves, planRowCard, rowsRequest, type FoldedPlan, type RowPlan } from './rows';
import { buildScene, gradientsOf, placeFrames, type FoldedGroupText, type Scene } from './scene';
import { topBand, type TopBand } from './top_band';

/** Smaller than this a picture is not drawn by itself: its smallest words are then 11 px high. */
export const LEGIBLE = 0.86;

/** The least scale at which a picture is shown whole that does not fit: words are then drawn larger than it. */
export const LEAST = 0.8;

/** The most that a picture of rows is enlarged where there is room. */
export const ENLARGED = 1.25;

/** The distance of a picture from the edge of its pane. */
const MARGIN = 18;

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
  /** What stays in sight at its top. */
  band: TopBand | null;
  /** What a reader has singled out is what is shown. */
  isolated: boolean;
}

/** A picture of cards, which Graphviz lays out. */
export interface CardScene extends Scene {
  style: 'cards';
  model: GraphModel;
  isolated: boolean;
}

/** Is a tensor drawn without all of its numbers? */
export function isLarge(picture: Picture, tensor: string): boolean {
  if (picture.style === 'cards') {
    const plate = picture.cardPlans.get(tensor)?.plate;
    return plate !== undefined && (plate.cut || !plate.numbers);
  }
  const plan = picture.plans.get(tensor);
  return plan !== undefined && (plan.value.grid === null || plan.value.grid.cut);
}

export type Picture = RowScene | CardScene;

/** Gradients that each tensor shows, by trace. */
const known = new WeakMap<Trace, Map<string, Value[]>>();

function gradients(trace: Trace): Map<string, Value[]> {
  const found = known.get(trace) ?? gradientsOf(trace);
  known.set(trace, found);
  return found;
}

/** Is there a leaf that is out of sight when another part of a picture is looked at? */
function hidesLeaves({ layout, model, band }: RowScene, pane: Pane, most?: number): boolean {
  const seen = freeHeight(pane) / LEAST;
  if (layout.height <= seen) return false;
  const kept = band && keepsBand(band.bottom, pane, LEAST, most) ? band.cards : new Set<string>();
  return model.cards.some(({ id, bucket }) => {
    const place = layout.places[id];
    if (!bucket || !place || kept.has(id)) return false;
    return place.y < layout.height - seen || place.y + place.height > seen;
  });
}

/** What is in sight above the free part of a pane, where nothing stands over the picture. */
function marginOf({ insets }: Pane): number {
  return insets.top <= MARGIN ? insets.top : 0;
}

function rowScene(
  trace: Trace,
  model: GraphModel,
  pane: Pane,
  text: FoldedGroupText,
  gathering: Gathering,
): RowScene {
  const folded = new Set(model.foldedGroups.map(({ id }) => id));
  const shown = gradients(trace);
  const plansOf = (cards: readonly Card[], names: ReadonlyMap<string, string>) =>
    new Map(
      cards.map((card) => [
        card.id,
        planRowCard(
          card,
          names.get(card.id)!,
          shown.get(card.id),
          folded.has(card.shelf ?? ''),
          pane.width >= NARROW,
          gathering.thumb,
        ),
      ]),
    );
  const plans = plansOf(model.cards, rowNames(model.cards, gathering.letters));
  alignShelves(model, plans);
  if (gathering === GATHERINGS[0])
    arrangeLeaves(model.cards, plans, roomOf(pane), gathering.letters, plansOf);
  const { request, folded: boxes } = rowsRequest(model, plans, roomOf(pane), text, shown);
  const layout = finishNested(request, layOutNested(request));
  const band = topBand(model, layout, placeFrames(model.groupFrames, layout).values());
  return { style: 'rows', model, plans, folded: boxes, request, layout, band, isolated: false };
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
  isolation: Isolation | null = null,
  /** The pane where a map shows what is out of sight. */
  mapped: Pane = pane,
): Picture {
  const { trace } = source;
  const all = source.sliceAt(choice);
  const part = isolation && isolate(all, source.turns, isolation);
  const context = part ?? all;
  const isolated = part !== null;
  const shownAs = (place: string) => source.turns.stacked(place, choice);
  const groups = groupsOf(trace, context.nodes, context.tensors, source.scopes, shownAs);
  const isSmall = context.nodes.length + context.tensors.length <= 2 * MOST;
  if (isSmall && !needsRows(groups, source.owners)) {
    const model = modelOf(context, foldingOf(context, groups, folds), 'cards');
    const scene = buildScene(trace, model, pane.width, text);
    if (fitsAsCards(scene, pane)) return { ...scene, style: 'cards', model, isolated };
  }
  const shelved = new RowComposer(source, context, groups, choice, pane, text);
  const first = shelved.compose();
  // where all is in sight, there is no map that takes room
  const isMapped = first.scene.layout.height * LEAST > freeHeight(pane) + marginOf(pane);
  const gathered =
    isMapped && hidesLeaves(first.scene, mapped, FAIR_BAND) ? gatheredIn(shelved, mapped) : null;
  const { composer, found } = gathered ?? { composer: shelved, found: first };
  const scene =
    Object.keys(folds).length === 0 ? found.scene : composer.scene(foldAt(groups, folds, found.fold));
  return { ...scene, isolated };
}

/** All leaves together above a picture, named as far as they stay in sight so; null where they do not. */
function gatheredIn(shelved: RowComposer, mapped: Pane): ReturnType<RowComposer['gathered']> | null {
  for (const gathering of GATHERINGS) {
    const gathered = shelved.gathered(gathering);
    const { scene } = gathered.found;
    if (!hidesLeaves(scene, mapped)) return gathered;
    if (!scene.band || keepsBand(scene.band.bottom, mapped, LEAST)) return null;
  }
  return null;
}

/** So many groups are tried one after the other whether they can be open. */
const TRIES = 10;

/** Folds as little as lets a picture of rows fit. */
class RowComposer {
  constructor(
    private readonly source: GraphSource,
    private readonly context: GraphContext,
    private readonly groups: Group[],
    private readonly choice: TurnChoice,
    private readonly pane: Pane,
    private readonly text: FoldedGroupText,
    /** How leaves stand together above the picture; null where they stand on shelves. */
    private readonly gathering: Gathering | null = null,
  ) {}

  /** The same with all leaves together above the picture, where they stay in sight. */
  gathered(gathering: Gathering): { composer: RowComposer; found: ReturnType<RowComposer['compose']> } {
    const { source, context, groups, choice, pane, text } = this;
    const composer = new RowComposer(source, context, groups, choice, pane, text, gathering);
    return { composer, found: composer.compose() };
  }

  scene(folding: Folding): RowScene {
    const model = markAway(
      modelOf(this.context, folding, 'rows', this.gathering !== null),
      this.source.turns,
      this.choice,
    );
    keyByPlace(model);
    return rowScene(this.source.trace, model, this.pane, this.text, this.gathering ?? GATHERINGS[0]);
  }

  private fits({ layout, model }: RowScene): boolean {
    return fitScale(layout, this.pane) >= LEGIBLE && model.cards.length <= MOST;
  }

  compose(): { scene: RowScene; fold: AutoFold } {
    const candidates = autoFoldsOf(this.groups);
    const last = candidates.at(-1)!;
    for (const fold of candidates) {
      const folding = foldAt(this.groups, {}, fold);
      if (fold !== last && sizeOf(this.context, folding) > MOST) continue;
      const scene = this.scene(folding);
      if (fold === last || this.fits(scene)) return this.opened(scene, fold, folding);
    }
    throw new Error('a graph folds in some way');
  }

  /** Opens groups while there is room, in the order of the program. */
  private opened(scene: RowScene, fold: AutoFold, { folded }: Folding): { scene: RowScene; fold: AutoFold } {
    let best = { scene, fold };
    const open = new Set<string>();
    const queue = folded.filter(({ kind }) => kind !== 'pass');
    for (let k = 0; k < Math.min(queue.length, TRIES) && this.fits(scene); k += 1) {
      const group = queue[k]!;
      const tried = { ...fold, open: new Set([...open, group.id]) };
      const next = this.scene(foldAt(this.groups, {}, tried));
      if (!this.fits(next)) continue;
      open.add(group.id);
      best = { scene: next, fold: tried };
      queue.push(...group.children);
    }
    return best;
  }
}

/** Graphviz draws nearly as wide and as tall. */
function fitsAsCards({ request }: Scene, pane: Pane): boolean {
  const places = Object.values(layOutInLayers(request).places);
  const width = places.reduce((most, place) => Math.max(most, place.x + place.width), 0);
  const height = places.reduce((most, place) => Math.max(most, place.y + place.height), 0);
  return fitScale({ width, height }, pane) >= (pane.width < NARROW ? 0.6 : READABLE);
}

import type { Card } from '../../graph/types';
import { isPacked, rowsOf } from '../layout/packed_leaves';
import { alignPacked, type RowPlan } from '../rows';
import { rowNames } from './row_names';

/** From the longest on: so many letters may the names of leaves have that stand together. */
const LETTERS = [36, 28, 22];

/**
 * Puts the names of leaves that stand together beneath each other, and makes them longer, where that takes no more rows in this
 * room. `plansOf` plans cards by their names, which have so many `letters`.
 */
export function arrangeLeaves(
  cards: readonly Card[],
  plans: Map<string, RowPlan>,
  room: number,
  letters: number,
  plansOf: (cards: readonly Card[], names: ReadonlyMap<string, string>) => Map<string, RowPlan>,
): void {
  const leaves = cards.filter(isPacked);
  const rows = (of: ReadonlyMap<string, RowPlan>) => {
    const widest = leaves.reduce((most, { id }) => Math.max(most, of.get(id)!.width), 0);
    return rowsOf(leaves.length, widest, room);
  };
  const most = rows(plans);
  for (const each of leaves.length > 0 ? [...LETTERS, letters] : []) {
    const roomier = plansOf(leaves, rowNames(leaves, each));
    alignPacked(roomier);
    if (rows(roomier) > most) continue;
    for (const [id, plan] of roomier) plans.set(id, plan);
    return;
  }
}

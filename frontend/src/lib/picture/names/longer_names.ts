import type { Card } from '../../graph/types';
import { isPacked, rowsOf } from '../layout/packed_leaves';
import { alignPacked, type RowPlan } from '../rows';
import { rowNames } from './row_names';

/** From the longest on: so many letters may the names of leaves have that stand together. */
const LETTERS = [36, 28, 22];

/** Gives leaves that stand together longer names, where these take no more rows in this room. `plansOf` plans cards by their names. */
export function lengthenNames(
  cards: readonly Card[],
  plans: Map<string, RowPlan>,
  room: number,
  plansOf: (cards: readonly Card[], names: ReadonlyMap<string, string>) => Map<string, RowPlan>,
): void {
  const leaves = cards.filter(isPacked);
  if (leaves.every(({ id, label }) => plans.get(id)!.name === label)) return;
  const rows = (of: ReadonlyMap<string, RowPlan>) => {
    const widest = leaves.reduce((most, { id }) => Math.max(most, of.get(id)!.width), 0);
    return rowsOf(leaves.length, widest, room);
  };
  for (const letters of LETTERS) {
    const longer = plansOf(leaves, rowNames(leaves, letters));
    alignPacked(leaves, longer);
    if (rows(longer) > rows(plans)) continue;
    for (const [id, plan] of longer) plans.set(id, plan);
    return;
  }
}

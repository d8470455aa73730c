import type { Card } from '../../graph/types';
import type { Size } from '../geometry';
import type { LayoutNode } from './types';

/** The id of the box of the leaves that stand together, which is not drawn. */
const LEAVES = 'leaves';

/** Between two rows of leaves, and between two that stand side by side. */
const BETWEEN = 2;
export const LEAF_GAP = 8;

/** Is it one of the leaves that stand together above the picture? */
export function isPacked({ gathered, maker }: Card): boolean {
  return gathered && maker === null;
}

interface Packed {
  node: LayoutNode;
  within: Map<string, LayoutNode['within']>;
}

/** How many rows so many leaves of this width take. */
export function rowsOf(count: number, each: number, room: number): number {
  return Math.ceil(count / Math.max(1, Math.floor((room + LEAF_GAP) / (each + LEAF_GAP))));
}

/** The box of those leaves, in as many columns as have room, and their places in it; null without any. */
export function packLeaves(
  cards: readonly Card[],
  sizes: ReadonlyMap<string, Size>,
  room: number,
): Packed | null {
  const leaves = cards.filter(isPacked);
  if (leaves.length === 0) return null;
  const most = (side: keyof Size) =>
    leaves.reduce((found, { id }) => Math.max(found, sizes.get(id)![side]), 0);
  const [each, height] = [most('width'), most('height')];
  const rows = rowsOf(leaves.length, each, room);
  const columns = Math.ceil(leaves.length / rows);
  const within = new Map(
    leaves.map(({ id }, k) => {
      const x = (k % columns) * (each + LEAF_GAP);
      return [id, { box: LEAVES, x, y: Math.floor(k / columns) * (height + BETWEEN) }];
    }),
  );
  const size = { width: columns * (each + LEAF_GAP) - LEAF_GAP, height: rows * (height + BETWEEN) - BETWEEN };
  return { node: { id: LEAVES, ...size, isFirst: true }, within };
}

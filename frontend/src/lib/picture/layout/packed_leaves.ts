import type { Card } from '../../graph/types';
import type { Size } from '../geometry';
import type { LayoutNode } from './types';

/** The id of the box of the leaves that stand together, which is not drawn. */
const LEAVES = 'leaves';

/** Between two rows of leaves. */
const BETWEEN = 2;

/** Is it one of the leaves that stand together above the picture? */
export function isPacked({ gathered, maker }: Card): boolean {
  return gathered && maker === null;
}

interface Packed {
  node: LayoutNode;
  within: Map<string, LayoutNode['within']>;
}

/** The box of those leaves, in as many columns as have room, and their places in it; null without any. */
export function packLeaves(
  cards: readonly Card[],
  sizes: ReadonlyMap<string, Size>,
  room: number,
  gap: number,
): Packed | null {
  const leaves = cards.filter(isPacked);
  if (leaves.length === 0) return null;
  const most = (side: keyof Size) =>
    leaves.reduce((found, { id }) => Math.max(found, sizes.get(id)![side]), 0);
  const [each, height] = [most('width'), most('height')];
  const fitting = Math.max(1, Math.floor((room + gap) / (each + gap)));
  const rows = Math.ceil(leaves.length / fitting);
  const columns = Math.ceil(leaves.length / rows);
  const within = new Map(
    leaves.map(({ id }, k) => {
      const x = (k % columns) * (each + gap);
      return [id, { box: LEAVES, x, y: Math.floor(k / columns) * (height + BETWEEN) }];
    }),
  );
  const size = { width: columns * (each + gap) - gap, height: rows * (height + BETWEEN) - BETWEEN };
  return { node: { id: LEAVES, ...size, isFirst: true }, within };
}

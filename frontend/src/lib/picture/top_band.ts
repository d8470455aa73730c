import type { GraphModel } from '../graph/types';
import type { LayoutResult, Rect } from './layout';

/**
 * The leaves, and the inputs beside them, above all that a program computes. They stay in sight when the rest of the
 * picture moves beneath them.
 */
export interface TopBand {
  cards: ReadonlySet<string>;
  top: number;
  bottom: number;
}

/** The band of a picture of rows; null where no leaf stands above everything else. */
export function topBand(
  { cards, pills, foldedGroups }: GraphModel,
  { places }: LayoutResult,
  frames: Iterable<Rect>,
): TopBand | null {
  const placed = cards.flatMap((card) => {
    const place = places[card.id];
    return place ? [{ card, place, isFirst: card.maker === null && card.shelf === null }] : [];
  });
  const others = [
    ...[...pills, ...foldedGroups].flatMap(({ id }) => places[id] ?? []),
    ...placed.filter(({ isFirst }) => !isFirst).map(({ place }) => place),
    ...frames,
  ];
  const limit = others.reduce((least, { y }) => Math.min(least, y), Infinity);
  const above = placed.filter(({ isFirst, place }) => isFirst && place.y + place.height <= limit);
  const lowest = above.reduce(
    (most, { card, place }) => (card.bucket ? Math.max(most, place.y + place.height) : most),
    -Infinity,
  );
  if (lowest === -Infinity) return null;
  // inputs that stand beneath all leaves are part of what moves
  const first = above.filter(({ place }) => place.y < lowest);
  const band = {
    cards: new Set(first.map(({ card }) => card.id)),
    top: Math.min(...first.map(({ place }) => place.y)),
    bottom: Math.max(...first.map(({ place }) => place.y + place.height)),
  };
  const isAlone = placed.every(({ card, place }) => band.cards.has(card.id) || place.y >= band.bottom);
  return isAlone ? band : null;
}

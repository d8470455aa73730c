import { expect, it } from 'vitest';
import type { Card, GraphModel } from '../graph/types';
import type { LayoutResult } from './layout';
import { topBand } from './top_band';

function card(id: string, more: Partial<Card> = {}): Card {
  return { id, maker: null, shelf: null, bucket: false, ...more } as Card;
}

function found(cards: Card[], tops: Record<string, number>, frames: number[] = []): string[] | null {
  const places = Object.fromEntries(
    Object.entries(tops).map(([id, y]) => [id, { x: 0, y, width: 50, height: 40 }]),
  );
  const model = { cards, pills: [{ id: 'f' }], foldedGroups: [] } as unknown as GraphModel;
  const boxes = frames.map((y) => ({ x: 0, y, width: 200, height: 300 }));
  const band = topBand(model, { places } as unknown as LayoutResult, boxes);
  return band && [...band.cards, `${band.top}–${band.bottom}`];
}

const [w, b, x] = [card('w', { bucket: true }), card('b', { bucket: true }), card('x')];

it('is the leaves and the inputs beside them, in as many rows as they take', () => {
  expect(found([w, b, x], { w: 0, x: 0, b: 60, f: 120 })).toEqual(['w', 'b', 'x', '0–100']);
});

it('ends where something is computed, and where a frame begins', () => {
  expect(found([w, b], { w: 0, f: 60, b: 120 })).toEqual(['w', '0–40']);
  expect(found([w, b], { w: 0, b: 80, f: 140 }, [60])).toEqual(['w', '0–40']);
});

it('is none without a leaf, and none through which something else reaches', () => {
  expect(found([x], { x: 0, f: 60 })).toBeNull();
  expect(found([w, card('m', { shelf: 's' })], { w: 0, m: 0, f: 60 })).toBeNull();
  expect(found([w, b], { w: 10, b: 30, f: 60 })).toBeNull();
});

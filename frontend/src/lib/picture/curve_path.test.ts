import { expect, it } from 'vitest';
import { arrowData, lengthOf, pathData, pointAlong, trimCurve } from './curve_path';

const line = [0, 10, 20, 30].map((y) => ({ x: 5, y }));

it('measures a curve by its length', () => {
  expect(lengthOf(line)).toBeCloseTo(30);
  expect(pointAlong(line, 0)).toEqual({ x: 5, y: 0 });
  expect(pointAlong(line, 0.5).y).toBeCloseTo(15);
  expect(pointAlong(line, 1).y).toBeCloseTo(30);
});

it('moves evenly along a bent curve', () => {
  const curve = [
    { x: 0, y: 100 },
    { x: 0, y: 0 },
    { x: 80, y: 100 },
    { x: 80, y: 0 },
  ];
  const step = (t: number) => {
    const [a, b] = [pointAlong(curve, t), pointAlong(curve, t + 0.1)];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  for (let t = 0; t < 0.9; t += 0.1) expect(step(t)).toBeLessThanOrEqual(lengthOf(curve) * 0.1 + 0.01);
});

it('writes SVG', () => {
  expect(pathData(line)).toBe('M5 0C5 10 5 20 5 30');
  expect(arrowData(line, 'end', 8, 10)).toBe('M5 30L1 20L9 20Z');
  expect(arrowData(line, 'start', 8, 10)).toBe('M5 0L9 10L1 10Z');
});

it('makes room for arrowheads', () => {
  const [first, , , last] = trimCurve(line, 4, 6);
  expect([first, last]).toEqual([
    { x: 5, y: 4 },
    { x: 5, y: 24 },
  ]);
  expect(lengthOf(trimCurve(line, 4, 6))).toBeCloseTo(20);
});

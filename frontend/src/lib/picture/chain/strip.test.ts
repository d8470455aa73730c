import { describe, expect, it } from 'vitest';
import { formatPower, heightOf, logScale, stripOf, turnAt, type Strip } from './strip';

/** The turns of each frame, from 1. */
const held = ({ frames }: Strip) =>
  frames.map(({ first, last }) => (first === last ? `${first + 1}` : `${first + 1}-${last + 1}`));

describe('the strip of a chain', () => {
  it('has the first, the one at hand with those beside it, and the last; the others are folded', () => {
    expect(held(stripOf(12, 7, 600, 34))).toEqual(['1', '2-6', '7', '8', '9', '10-11', '12']);
    expect(held(stripOf(12, 0, 600, 34))).toEqual(['1', '2', '3-11', '12']);
    expect(held(stripOf(12, 11, 600, 34))).toEqual(['1', '2-10', '11', '12']);
  });

  it('folds neither few turns, nor one alone', () => {
    expect(held(stripOf(5, 2, 600, 34))).toEqual(['1', '2', '3', '4', '5']);
    expect(held(stripOf(12, 3, 600, 34))).toEqual(['1', '2', '3', '4', '5', '6-11', '12']);
  });

  it.each([
    [12, 600],
    [40, 330],
    [400, 600],
    [2, 300],
  ])('fills the width with %d turns in %d pixels, and overlaps nowhere', (count, width) => {
    for (const current of [0, 1, Math.floor(count / 2), count - 1]) {
      const { columns, frames } = stripOf(count, current, width, 34);
      expect(columns).toHaveLength(count);
      columns.reduce((end, { left, width: own }) => {
        expect(left).toBeCloseTo(end);
        expect(own).toBeGreaterThan(0);
        return left + own;
      }, 0);
      const last = columns.at(-1)!;
      expect(last.left + last.width).toBeCloseTo(width);
      frames.reduce((end, { left, width: own }) => {
        expect(left).toBeGreaterThan(end);
        return left + own;
      }, 0);
      expect(columns[current]!.width).toBeGreaterThanOrEqual(34);
    }
  });

  it('knows the turn under a place', () => {
    const strip = stripOf(12, 7, 600, 34);
    strip.columns.forEach(({ left, width }, k) => expect(turnAt(strip, left + width / 2)).toBe(k));
    expect(turnAt(strip, 1000)).toBe(11);
  });
});

describe('the scale of norms', () => {
  it('goes from power to power around them, and the smallest has some height', () => {
    const scale = logScale([6.5e-4, 0.04, 2.31]);
    expect([scale.low, scale.high]).toEqual([-4, 1]);
    expect(heightOf(scale, 10)).toBe(1);
    expect(heightOf(scale, 6.5e-4)).toBeGreaterThan(0);
    expect(heightOf(scale, 2.31)).toBeGreaterThan(heightOf(scale, 0.04));
    expect(logScale([1]).high).toBeGreaterThan(logScale([1]).low);
  });

  it('keeps what is no number, and zero, within it', () => {
    const scale = logScale([NaN, Infinity, 0, 1e-30, 1e30]);
    expect(scale.lines.length).toBeLessThanOrEqual(7);
    expect(scale.ticks.length).toBeLessThanOrEqual(3);
    expect([NaN, Infinity, 0].map((norm) => heightOf(scale, norm))).toEqual([1, 1, 0]);
    expect(logScale([]).ticks).toEqual([-1, 0]);
  });

  it('writes powers as briefly as it can', () => {
    expect([-7, -3, 0, 2, 9].map(formatPower)).toEqual(['1e-7', '0.001', '1', '100', '1e9']);
  });
});

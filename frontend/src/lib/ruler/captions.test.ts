import { describe, expect, it } from 'vitest';
import { readable, spread, textWidth } from './captions';

const at = (left: number, width = 10) => ({ left, width });

describe('captions', () => {
  it('leave room for each other', () => {
    expect(readable([at(20), at(0), at(12), at(25), at(31)], 1)).toEqual([at(20), at(0), at(31)]);
  });

  it('move aside before they are left out', () => {
    const movable = (left: number, reach: number) => ({ left, width: 10, reach });
    const kept = spread([movable(20, 0), movable(22, 12), movable(18, 6), movable(95, 0)], 2, 0, 100);
    expect(kept.map(({ left }) => left)).toEqual([20, 34, 90]);
  });

  it('are left out where they do not fit at all', () => {
    expect(spread([{ left: 0, width: 60, reach: 99 }], 0, 0, 50)).toEqual([]);
  });

  it('are as wide as their letters, without the marks', () => {
    expect(textWidth('share to `w`')).toBe(textWidth('share to w'));
    expect(textWidth('反向')).toBeGreaterThan(textWidth('ab'));
  });
});

import { expect, it } from 'vitest';
import { barsPath } from './bars';

it('draws bars as one path', () => {
  expect(
    barsPath(
      [
        { x: 10, wide: 2, tall: 20 },
        { x: 14.004, wide: 2, tall: 0 },
      ],
      100,
    ),
  ).toBe('M10 100V80H12V100ZM14 100V100H16V100Z');
});

it('rounds the corners of bars that are wide enough', () => {
  expect(barsPath([{ x: 0, wide: 12, tall: 20 }], 20)).toBe(
    'M0 4a4 4 0 0 1 4 -4H8a4 4 0 0 1 4 4V16a4 4 0 0 1 -4 4H4a4 4 0 0 1 -4 -4Z',
  );
});

import { describe, expect, it } from 'vitest';
import { heatShapes } from './heat_shapes';

const colour = (heat: number) => (Number.isNaN(heat) ? 'transparent' : heat > 0 ? 'red' : 'blue');
const cells = (rows: number, cols: number, ...heat: number[]) => ({
  rows,
  cols,
  heat: Float32Array.from(heat),
});

describe('the shapes of a heat map', () => {
  it('are one for each colour, and neighbours of one colour are one cell', () => {
    const shapes = heatShapes(cells(2, 3, 1, 1, 0, 0, 0, 1), colour, { width: 30, height: 20 }, false);
    expect(shapes).toEqual([
      { colour: 'red', d: 'M0 0H20V10H0ZM20 10H30V20H20Z' },
      { colour: 'blue', d: 'M20 0H30V10H20ZM0 10H20V20H0Z' },
    ]);
  });

  it('leave out what has no colour', () => {
    const shapes = heatShapes(cells(1, 3, NaN, 1, NaN), colour, { width: 9, height: 3 }, false);
    expect(shapes).toEqual([{ colour: 'red', d: 'M3 0H6V3H3Z' }]);
  });

  it('are round beads apart from each other where cells are wide enough', () => {
    const [shape] = heatShapes(cells(1, 2, 1, 1), colour, { width: 20, height: 12 }, true);
    expect(shape!.d.match(/M/g)).toHaveLength(2);
    expect(shape!.d).toMatch(/^M3\.5 1h3a2\.5 2\.5 0 0 1 2\.5 2\.5v5/);
    const [small] = heatShapes(cells(1, 4, 1, 1, 1, 1), colour, { width: 20, height: 12 }, true);
    expect(small!.d).toBe('M0 0H20V12H0Z');
  });
});

import { describe, expect, it } from 'vitest';
import { boundsOf, moved, type ClipMark, type Mark, type RectMark, type TextMark } from './marks';
import { svgOf } from './svg';

const rect: RectMark = {
  kind: 'rect',
  box: { x: 10, y: 20, width: 30, height: 40 },
  radii: [4, 4, 4, 4],
  fill: '#ff000080',
  stroke: { colour: '#00ff00ff', width: 1.5, dash: [4, 4], cap: 'round' },
  opacity: 0.5,
};
const text: TextMark = {
  kind: 'text',
  text: 'a < b & "c"\u0007',
  box: { x: 1, y: 2, width: 50, height: 12 },
  baseline: 11.004,
  style: 'italic',
  weight: '500',
  size: 12,
  family: '"Inter", sans-serif',
  fill: '#123456ff',
  opacity: 1,
};
const parse = (svg: string) => new DOMParser().parseFromString(svg, 'image/svg+xml');
const drawing = (...marks: Mark[]) =>
  parse(svgOf(marks, { x: 0, y: 0, width: 100, height: 80 }, 'A <title>'));

describe('a drawing', () => {
  it('is well-formed, on white, and has a name', () => {
    const root = drawing(rect, text).documentElement;
    expect(root.querySelector('parsererror')).toBeNull();
    expect(root.getAttribute('viewBox')).toBe('0 0 100 80');
    expect(root.querySelector('title')?.textContent).toBe('A <title>');
    expect(root.querySelector('rect')?.getAttribute('fill')).toBe('#fff');
  });

  it('says opacity apart from colours', () => {
    const drawn = drawing(rect).querySelectorAll('rect')[1]!;
    expect([drawn.getAttribute('fill'), drawn.getAttribute('fill-opacity')]).toEqual(['#ff0000', '0.5']);
    expect([drawn.getAttribute('stroke'), drawn.getAttribute('stroke-opacity')]).toEqual(['#00ff00', null]);
    expect(drawn.getAttribute('stroke-dasharray')).toBe('4 4');
    expect([drawn.getAttribute('rx'), drawn.getAttribute('opacity')]).toEqual(['4', '0.5']);
  });

  it('keeps every letter that XML has a place for, and the width of a line', () => {
    const drawn = drawing(text).querySelector('text')!;
    expect(drawn.textContent).toBe('a < b & "c"\ufffd');
    expect(drawn.getAttribute('textLength')).toBe('50');
    expect(drawn.getAttribute('y')).toBe('11');
    expect(drawn.getAttribute('font-family')).toBe("'Inter', sans-serif");
  });

  it('shows of a clip what is inside, with its corners', () => {
    const clip: ClipMark = {
      kind: 'clip',
      box: { x: 0, y: 0, width: 20, height: 30 },
      radii: [7, 0, 0, 7],
      marks: [rect],
    };
    const drawn = drawing(clip);
    const id = drawn.querySelector('clipPath')?.id;
    expect(drawn.querySelector('g[clip-path]')?.getAttribute('clip-path')).toBe(`url(#${id})`);
    expect(drawn.querySelector('clipPath path')?.getAttribute('d')).toContain('a7 7 0 0 1');
    expect(boundsOf([clip])).toEqual({ x: 10, y: 20, width: 10, height: 10 });
  });

  it('names each ramp once', () => {
    const ramp = { ...rect, fill: { colours: ['#000000ff', '#808080ff', '#ffffffff'] } };
    const drawn = drawing(ramp, ramp);
    expect(new Set([...drawn.querySelectorAll('linearGradient')].map(({ id }) => id)).size).toBe(2);
    expect([...drawn.querySelectorAll('stop')].map((stop) => stop.getAttribute('offset'))).toEqual([
      '0',
      '0.5',
      '1',
      '0',
      '0.5',
      '1',
    ]);
  });
});

it('marks move with all that is in them', () => {
  const clip: Mark = { kind: 'clip', box: rect.box, radii: [0, 0, 0, 0], marks: [text] };
  const [there] = moved([clip], 5, -2) as [ClipMark];
  expect(there.box).toEqual({ x: 15, y: 18, width: 30, height: 40 });
  expect((there.marks[0] as TextMark).baseline).toBeCloseTo(9.004);
  expect(boundsOf([])).toBeNull();
});

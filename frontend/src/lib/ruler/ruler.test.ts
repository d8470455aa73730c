import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import { inTurns, loop } from '../../test/loops';
import { training } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { buildRuler, isOneStep, stepBars, toTime, toX } from './ruler';
import { buildTimeline } from '../animation/timeline';
import { chainTurns } from '../chapters/turns';

const timeline = buildTimeline(fixture as unknown as Trace);

describe('the ruler', () => {
  it('joins the beats of each function', () => {
    const { stretches } = buildRuler(buildTimeline(training(1)), 2400, false);
    const { bars, left, width } = stretches.find(({ pass }) => pass === 0)!;
    const steps = stepBars(bars);
    expect(steps.length).toBeLessThan(bars.length);
    expect(steps.every(isOneStep)).toBe(true);
    expect(steps.flatMap(({ segments }) => segments)).toEqual(bars.flatMap(({ segments }) => segments));
    const end = steps.at(-1)!;
    expect([steps[0]!.left, end.left + end.width]).toEqual([left, left + width]);
  });

  it('gives every segment a length that is its duration', () => {
    const { stretches } = buildRuler(timeline, 916, false);
    for (const { start, end, width, bars } of stretches) {
      const pitches = bars.map((bar, k) => (bars[k + 1]?.left ?? bar.left + bar.width) - bar.left);
      const scale = width / (end - start);
      bars.forEach((bar, k) => expect(pitches[k]).toBeCloseTo((bar.end - bar.start) * scale, 6));
    }
  });

  it('fills its width and finds the same time again at every place', () => {
    const ruler = buildRuler(timeline, 916, false);
    const last = ruler.stretches.at(-1)!;
    expect(last.left + last.width).toBeCloseTo(916, 6);
    for (const { start } of timeline.segments.slice(1))
      expect(toTime(ruler, toX(ruler, start + 1))).toBeCloseTo(start + 1, 6);
  });

  it('keeps to its ends', () => {
    const ruler = buildRuler(timeline, 500, false);
    expect(toTime(ruler, -50)).toBe(0);
    expect(toTime(ruler, 900)).toBeCloseTo(timeline.duration, 6);
    expect(toX(buildRuler({ ...timeline, segments: [], passes: [], duration: 0 }, 500, false), 9)).toBe(0);
  });

  it('merges segments into steps, and steps into one bar, where they would be too thin', () => {
    const backward = (width: number) => buildRuler(timeline, width, false).stretches.at(-1)!.bars.length;
    expect(backward(900)).toBe(7);
    expect(backward(60)).toBe(1);
  });

  it('tells forward, backward and update apart, turn by turn', () => {
    const { stretches } = buildRuler(buildTimeline(training(2)), 900, false);
    const turn = ['forward', 'backward', 'update'];
    expect(stretches.map(({ kind }) => kind)).toEqual(['forward', 'update', ...turn, ...turn]);
    expect(stretches.map(({ pass }) => pass)).toEqual([null, null, null, 0, null, null, 1, null]);
  });

  it('keeps a long run within its width', () => {
    const course = buildTimeline(training(40));
    const ruler = buildRuler(course, 360, false);
    const last = ruler.stretches.at(-1)!;
    expect(last.left + last.width).toBeCloseTo(360, 6);
    expect(ruler.stretches.every(({ width }) => width > 0)).toBe(true);
    for (const { start, end } of course.segments) {
      const middle = (start + end) / 2;
      expect(toTime(ruler, toX(ruler, middle))).toBeCloseTo(middle, 3);
    }
  });

  it('has a bar for each turn of a chain where its steps would be too thin', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('w');
    let h = sketch.leaf('h');
    inTurns(sketch, loop(sketch), [...Array(12).keys()], () => {
      h = sketch.apply('exp', [sketch.apply('mul', [h, w])]);
      for (const node of sketch.nodes.slice(-2)) node.place = sketch.here;
    });
    sketch.backward(sketch.apply('sum', [h], { shape: [] }));
    const trace = sketch.trace();
    const { stretches } = buildRuler(buildTimeline(trace), 300, false, chainTurns(trace));
    const turns = stretches.map(({ bars }) => bars.flatMap(({ turn }) => turn?.number ?? []));
    const numbers = Array.from({ length: 12 }, (_, k) => k + 1);
    expect(turns).toEqual([[], numbers.toReversed()]);
    const wide = buildRuler(buildTimeline(trace), 900, false, chainTurns(trace));
    expect(wide.stretches[0]!.bars.length).toBeGreaterThan(12);
  });

  it('leaves room for what did not run', () => {
    const { failure, stretches } = buildRuler(timeline, 900, true);
    expect(failure!.left).toBeGreaterThan(stretches.at(-1)!.left);
    expect(failure!.left + failure!.width).toBeCloseTo(900, 6);
  });
});

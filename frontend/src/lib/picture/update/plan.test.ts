import { describe, expect, it } from 'vitest';
import { Sketch } from '../../../test/sketch';
import { buildTimeline } from '../../animation/timeline';
import { UpdateRuns, type UpdatedLeaf } from '../../animation/update_runs';
import { Lookup } from '../../trace/lookup';
import { beadsSize, BUCKET } from '../thumb';
import { planUpdate } from './plan';

/** The leaves of a step, of these shapes. */
function leavesOf(...shapes: number[][]): UpdatedLeaf[] {
  const sketch = new Sketch({ told: true });
  shapes.forEach((shape, k) => {
    const leaf = sketch.leaf(`w${k}`, shape);
    sketch.backward(sketch.apply('sum', [leaf], { shape: [] }));
  });
  sketch.step();
  const trace = sketch.trace();
  const timeline = buildTimeline(trace);
  const flow = timeline.segments.findIndex(({ beat }) => beat === 'flow');
  return new UpdateRuns(new Lookup(trace), timeline).at(flow)!.leaves;
}

const WIDE = { width: 560, height: 530 };

describe('the plan of an update', () => {
  it('shows numbers where they can be read, in cells of one size on both sides', () => {
    const { leaves } = planUpdate(leavesOf([8, 3], [8]), WIDE, 1);
    expect(leaves[0]!.bucket.grid?.numbers).toBe(true);
    expect(leaves[0]!.value.grid?.cell).toEqual(leaves[0]!.bucket.grid?.cell);
    expect(leaves[1]!.bucket.grid).toBeNull();
  });

  it.each([
    [560, 530],
    [340, 400],
    [300, 240],
  ])('keeps within %d pixels of width', (width, height) => {
    const plan = planUpdate(leavesOf([8, 4], [30, 30], [1], [3, 3]), { width, height }, 0);
    for (const { bucket, value, chip } of plan.leaves) {
      expect(beadsSize(bucket).width + 2 * BUCKET).toBeLessThanOrEqual(plan.bucket);
      expect(value.width).toBeLessThanOrEqual(plan.value);
      expect(plan.bucket + plan.value + chip!.width + 20).toBeLessThanOrEqual(width);
    }
  });

  it('gives up numbers, then height, where there is little room, of the last leaves first', () => {
    const shapes = [
      [8, 3],
      [8, 3],
      [8, 3],
    ];
    const few = planUpdate(leavesOf(...shapes), { width: 560, height: 500 }, 0);
    expect(few.leaves.map(({ value }) => value.grid !== null)).toEqual([true, false, false]);
    expect(few.height).toBeLessThanOrEqual(500);
    const least = planUpdate(leavesOf(...shapes), { width: 560, height: 60 }, 0);
    expect(least.leaves.every(({ value }) => value.grid === null)).toBe(true);
    expect(least.height).toBeGreaterThan(60);
  });
});

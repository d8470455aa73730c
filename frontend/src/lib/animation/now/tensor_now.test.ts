import { describe, expect, it } from 'vitest';
import { product, training } from '../../../test/samples';
import { restTime, buildTimeline } from '../timeline';
import { tensorAt } from './tensor_now';

describe('a tensor at a step', () => {
  it('has neither value nor gradient before they are there', () => {
    const trace = product();
    const timeline = buildTimeline(trace);
    const leaf = trace.tensors.find(({ id }) => id === trace.passes[0]!.accumulations[0]!.tensor)!;
    const at = (time: number) => tensorAt(trace, timeline, leaf, time)!;
    const add = timeline.segments.find(
      ({ kind, deliveries }) => kind === 'add' && deliveries.some(({ tensor }) => tensor === leaf.id),
    )!;
    expect(at(0)).toMatchObject({ isMade: false, grad: null, gradient: null });
    expect(at(add.start - 1)).toMatchObject({ isMade: true, grad: null });
    expect(at(restTime(add)).grad).toEqual(trace.passes[0]!.accumulations[0]!.after);
  });

  it('has the version of its turn', () => {
    const trace = training(2);
    const timeline = buildTimeline(trace);
    const leaf = trace.tensors.find(({ versions }) => versions.length > 2)!;
    const at = (time: number) => tensorAt(trace, timeline, leaf, time)!;
    const steps = timeline.segments.filter(({ kind }) => kind === 'step');
    const seen = [0, ...new Set(steps.map(({ end }) => end))].map((time) => at(time + 1));
    expect(seen[0]).toMatchObject({ version: leaf.versions[0]!.version });
    expect(seen.at(-1)).toMatchObject({
      version: leaf.versions.at(-1)!.version,
      value: leaf.versions.at(-1)!.value,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { chain, coupled, product, shared, Sketch, ungiven } from '../../test/sketch';
import { ease } from './easing';
import { buildTimeline, DURATION, MID_FLIGHT, restTime, segmentAt, type Segment } from './timeline';

const traces = { product, shared, coupled, ungiven, chain: () => chain(5) };
const brief = (segment: Segment) => `${segment.kind} ${segment.tensor ?? segment.node}`;

describe('buildTimeline', () => {
  it('plays a matrix product in seven segments, the first operand last', () => {
    const { segments, duration, passes } = buildTimeline(product());
    expect(segments.map(brief)).toEqual([
      'forward t0',
      'forward t1',
      'forward t2',
      'arrive n0',
      'rule n0',
      'send t1',
      'add t1',
      'send t0',
      'add t0',
    ]);
    expect(duration - segments[3]!.start).toBe(360 + 480 + 2 * (620 + 420));
    expect(passes).toEqual([
      { pass: 0, start: 3 * 360, end: duration, firstStop: 4, lastStop: 4, complete: true },
    ]);
  });

  it.each(Object.entries(traces))('leaves no gap and no overlap: %s', (_, make) => {
    const { segments, duration } = buildTimeline(make());
    let end = 0;
    for (const [k, segment] of segments.entries()) {
      expect(segment.index).toBe(k);
      expect(segment.start).toBe(end);
      expect(segment.end - segment.start).toBeGreaterThanOrEqual(DURATION[segment.kind]);
      end = segment.end;
    }
    expect(duration).toBe(end);
  });

  it.each(Object.entries(traces))('sends every grad_input exactly once: %s', (_, make) => {
    const trace = make();
    const sent = buildTimeline(trace)
      .segments.filter((segment) => segment.kind === 'send')
      .flatMap((segment) => segment.deliveries.map((each) => `${segment.pass} ${each.edge}`));
    const recorded = trace.passes.flatMap((pass, k) =>
      pass.steps.flatMap((step) => step.grad_inputs.map((gradInput) => `${k} ${gradInput.edge}`)),
    );
    expect(sent.toSorted()).toEqual(recorded.toSorted());
  });

  it('lets early grad_inputs wait and adds them with the last', () => {
    const { segments } = buildTimeline(shared());
    const first = segments.filter((segment) => segment.pass === 0);
    const toLeaf = first.flatMap((segment) => (segment.kind === 'send' ? segment.deliveries : []));
    expect(toLeaf.filter((each) => each.tensor === 't0').map((each) => each.landing)).toEqual([
      'wait',
      'wait',
      'bucket',
    ]);
    const adds = first.filter((segment) => segment.kind === 'add');
    expect(adds.map((segment) => [segment.tensor, segment.deliveries.length])).toEqual([
      ['t1', 2],
      ['t0', 3],
    ]);
  });

  it('has a segment for each result of autograd.grad', () => {
    const source = 'dx, dw = torch.autograd.grad(y, (x, w), g)';
    const sketch = new Sketch();
    const [x, w] = [sketch.leaf('x'), sketch.leaf('w')];
    const y = sketch.apply('mul', [x, w], { name: 'y' });
    const span = { line: 1, column: source.indexOf('torch'), end_line: 1, end_column: source.length };
    sketch.backward(y, { kind: 'grad', span });
    const segments = buildTimeline(sketch.trace({ source })).segments.filter(({ pass }) => pass === 0);
    expect(segments.map(({ kind, tensor }) => [kind, tensor])).toEqual([
      ['arrive', null],
      ['rule', null],
      ['send', 't1'],
      ['add', 't1'],
      ['send', 't0'],
      ['add', 't0'],
    ]);
  });

  it('sends all but the first four grad_inputs of a wide function together', () => {
    const sketch = new Sketch();
    const leaves = Array.from({ length: 7 }, (_, k) => sketch.leaf(`x${k}`));
    sketch.backward(sketch.apply('cat', leaves, { name: 'y' }));
    const sends = buildTimeline(sketch.trace()).segments.filter((segment) => segment.kind === 'send');
    expect(sends.map((segment) => segment.deliveries.length)).toEqual([1, 1, 1, 1, 3]);
    expect(sends.at(-1)!.deliveries.map((each) => each.tensor)).toEqual(['t2', 't1', 't0']);
  });

  it('adds a gradient given to a leaf directly', () => {
    const sketch = new Sketch();
    sketch.backward(sketch.leaf('x'));
    expect(buildTimeline(sketch.trace()).segments.map(brief)).toEqual(['forward t0', 'add t0']);
  });

  it('ends a failed pass where it failed', () => {
    const trace = shared();
    const failed = trace.passes[1]!;
    failed.complete = false;
    failed.steps = failed.steps.slice(0, 1);
    failed.accumulations = [];
    const { passes, segments } = buildTimeline(trace);
    expect(passes[1]).toMatchObject({ complete: false, firstStop: passes[0]!.lastStop + 1 });
    expect(segments.filter((segment) => segment.pass === 1 && segment.kind === 'rule')).toHaveLength(1);
    expect(segments.at(-1)!.kind).toBe('send');
  });
});

describe('segmentAt', () => {
  const timeline = buildTimeline(shared());
  it('finds every segment at its start, middle and end', () => {
    for (const segment of timeline.segments) {
      const length = segment.end - segment.start;
      expect(segmentAt(timeline, segment.start)).toEqual({ segment, progress: 0 });
      expect(segmentAt(timeline, segment.start + length / 2)?.segment).toBe(segment);
      expect(segmentAt(timeline, segment.end - 1e-6)?.segment).toBe(segment);
      expect(segmentAt(timeline, restTime(segment))?.segment).toBe(segment);
    }
  });
  it('stays at the ends', () => {
    expect(segmentAt(timeline, -5)).toMatchObject({ segment: timeline.segments[0], progress: 0 });
    expect(segmentAt(timeline, 1e9)).toMatchObject({ segment: timeline.segments.at(-1), progress: 1 });
    expect(segmentAt({ ...timeline, segments: [] }, 0)).toBeNull();
  });
  it('rests with the chip in the middle of its edge', () => {
    expect(ease.send(MID_FLIGHT)).toBeCloseTo(0.5, 1);
  });
});

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../api/types';
import { chain, coupled, product, shared, training, ungiven } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { ease } from './easing';
import { BEAT, DURATION, type Segment } from './segments';
import { buildTimeline, MID_FLIGHT, passAt, restBeside, restTime, segmentAt } from './timeline';

const traces = { product, shared, coupled, ungiven, chain: () => chain(5), training };
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
      expect(segment.end - segment.start).toBeGreaterThanOrEqual(
        segment.beat ? BEAT[segment.beat] : DURATION[segment.kind],
      );
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

describe('a timeline of events', () => {
  it('follows the order of the program', () => {
    const { segments, passes, stops } = buildTimeline(training(2));
    const turn = (loss: number) => [
      `forward t${loss - 1}`,
      `forward t${loss}`,
      ...['arrive', 'rule', 'send', 'add', 'send', 'arrive', 'rule', 'send', 'add'],
      ...['step read', 'step flow', 'step write', 'print'],
    ];
    const names = segments.map((each) =>
      each.kind === 'forward' ? brief(each) : [each.kind, each.beat].filter(Boolean).join(' '),
    );
    expect(names).toEqual([
      ...['forward t0', 'forward t1', 'forward t2', 'zero'],
      ...turn(4),
      'zero',
      ...turn(6),
    ]);
    expect(passes.map(({ pass }) => pass)).toEqual([0, 1]);
    expect(stops).toBe(3 + 2 * (1 + 2 + 2 + 1));
    expect(segments.at(-1)!.stop).toBe(stops);
  });

  it('says which pass is the latest', () => {
    const timeline = buildTimeline(training(2));
    const passes = timeline.segments.map((segment) => passAt(timeline, segment));
    expect(passes).toEqual(passes.toSorted());
    expect(passes[0]).toBe(0);
    expect(passes.at(-1)).toBe(1);
    expect(passAt(buildTimeline(new Sketch().trace()), null)).toBeNull();
  });

  it('plays prints in a row, and what one line does to several leaves, as one segment', () => {
    const sketch = new Sketch({ told: true });
    const [x, y] = [sketch.leaf('x'), sketch.leaf('y')];
    sketch.print('1');
    sketch.print('2');
    for (const leaf of [x, y, x]) sketch.write(leaf, 'no_grad', 'p -= 1', 9);
    const { segments } = buildTimeline(sketch.trace());
    expect(segments.map(({ kind, event, until }) => [kind, event, until])).toEqual([
      ['forward', 0, 1],
      ['forward', 0, 1],
      ['print', 0, 2],
      ['write', 2, 4],
      ['write', 4, 5],
    ]);
  });

  it('plays hooks and what they do within the pass, those of a leaf before it is added to', () => {
    const sketch = new Sketch({ told: true });
    const x = sketch.leaf('x');
    const y = sketch.apply('exp', [x], { name: 'y' });
    const z = sketch.apply('sum', [y], { name: 'z', shape: [] });
    sketch.backward(z);
    const trace = sketch.trace();
    const at = { place: null, span: null };
    const during = (step: number) => ({ during: { pass_id: trace.passes[0]!.id, step } });
    const inside: TraceEvent[] = [
      { kind: 'hook', tensor: y.id, node: null, ...at, ...during(1) },
      { kind: 'hook', tensor: x.id, node: null, ...at, ...during(2) },
      { kind: 'print', text: 'inside', ...at, ...during(2) },
      { kind: 'print', text: 'after', ...at },
    ];
    const { segments } = buildTimeline({ ...trace, events: [...trace.events, ...inside] });
    expect(segments.slice(3).map(({ kind }) => kind)).toEqual([
      ...['arrive', 'rule', 'send', 'hook', 'arrive', 'rule', 'send', 'hook', 'print', 'add', 'print'],
    ]);
    const numbers = segments.map(({ event }) => event);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('does not play what changes tensors outside the picture', () => {
    const sketch = new Sketch({ told: true });
    const x = sketch.leaf('x');
    sketch.write(x, 'in_place', 'x.zero_()');
    expect(buildTimeline(sketch.trace({ shown: [] })).segments).toEqual([]);
    expect(buildTimeline(sketch.trace()).segments.map(brief)).toEqual(['forward t0', 'write t0']);
  });

  it('plays each tensor and each pass once, whatever the events leave out', () => {
    const trace = training(2);
    const told = buildTimeline(trace).segments.map(({ kind, tensor, pass }) => `${kind} ${tensor} ${pass}`);
    const untold = buildTimeline({ ...trace, events: [] }).segments;
    const plain = untold.map(({ kind, tensor, pass }) => `${kind} ${tensor} ${pass}`);
    expect(plain).toEqual([
      ...plain.filter((each) => each.startsWith('forward')),
      ...plain.filter((each) => !each.startsWith('forward')),
    ]);
    expect(told.filter((each) => !/^(zero|step|print)/.test(each)).toSorted()).toEqual(plain.toSorted());
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

describe('restBeside', () => {
  const timeline = buildTimeline(product());
  const rests = timeline.segments.map(restTime);

  it('goes from rest to rest, both ways', () => {
    expect(restBeside(timeline, rests[3]!, 1)).toBe(rests[4]);
    expect(restBeside(timeline, rests[3]!, -1)).toBe(rests[2]);
  });

  it('ends at the ends of the timeline', () => {
    expect(restBeside(timeline, rests.at(-1)!, 1)).toBe(timeline.duration);
    expect(restBeside(timeline, rests[0]!, -1)).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace, Value } from '../../api/types';
import { chain, coupled, product, shared, training, ungiven } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { contentNow } from './element_states';
import { Animation, type AnimationFrame } from './frame';
import type { Timeline } from './segments';
import { buildTimeline } from './timeline';

const traces = {
  product,
  shared,
  zeroed: () => shared(true),
  coupled,
  ungiven,
  chain: () => chain(5),
  training: () => training(2),
  failed: () => {
    const trace = shared();
    trace.passes[1]!.complete = false;
    trace.passes[1]!.steps.splice(2);
    trace.passes[1]!.accumulations = [];
    return trace;
  },
};

function animation(trace: Trace): { animation: Animation; timeline: Timeline } {
  const timeline = buildTimeline(trace);
  return { animation: new Animation(trace, timeline), timeline };
}

/** Borders and midpoints of all segments. */
function moments({ segments, duration }: Timeline): number[] {
  return [...segments.flatMap(({ start, end }) => [start, (start + end) / 2, end - 0.01]), duration];
}

function plain(frame: AnimationFrame): unknown {
  const { cards, pills, edges, chips, seeds, focus } = frame;
  return { cards: [...cards], pills: [...pills], edges: [...edges], chips, seeds, focus };
}

/** Everything in a frame that is a part of a whole. */
function parts({ cards, pills, edges, chips }: AnimationFrame): number[] {
  return [
    ...[...cards.values()].flatMap((card) => [
      card.value,
      card.content.mix,
      card.gradient.mix,
      card.bucket.mix,
    ]),
    ...[...pills.values()].map((pill) => pill.halo),
    ...[...edges.values()].flatMap((edge) => [edge.forward, edge.fill]),
    ...chips.flatMap((chip) => [chip.at, chip.opacity, chip.sink]),
  ];
}

/** Every array that the trace contains. */
function recorded(trace: Trace): Set<Value | null> {
  const values = new Set<Value | null>([null]);
  for (const pass of trace.passes) {
    for (const root of pass.roots) values.add(root.gradient);
    for (const value of Object.values(pass.gradients)) values.add(value);
    for (const step of pass.steps) for (const gradInput of step.grad_inputs) values.add(gradInput.value);
    for (const sum of pass.accumulations)
      for (const value of [sum.before, sum.incoming, sum.after]) values.add(value);
  }
  return values;
}

describe.each(Object.entries(traces))('frames of %s', (_, make) => {
  const trace = make();
  const { animation: played, timeline } = animation(trace);

  it('are well-formed', () => {
    for (const time of moments(timeline)) {
      const frame = played.at(time);
      expect(frame.cards.size).toBe(played.keyframes.tensors.length);
      expect(parts(frame).every((x) => x >= 0 && x <= 1)).toBe(true);
      expect([...frame.edges.values()].every(({ width }) => width >= 1.5 && width <= 6)).toBe(true);
      expect(frame.chips.every(({ slot, of, tensor }) => slot < of && frame.cards.has(tensor))).toBe(true);
      expect(new Set(frame.chips.map((chip) => chip.key)).size).toBe(frame.chips.length);
      const active = [...frame.pills.values()].filter((pill) => pill.phase === 'active');
      expect(active.length).toBe(frame.segment?.node ? 1 : 0);
    }
  });

  it('depend on the time alone, whichever way it goes', () => {
    const times = moments(timeline);
    const forward = times.map((time) => plain(played.at(time)));
    const backward = times.toReversed().map((time) => plain(played.at(time)));
    expect(backward.toReversed()).toEqual(forward);
    const fresh = times.map((time) => plain(animation(trace).animation.at(time)));
    expect(fresh).toEqual(forward);
  });

  it('show no number that is not in the trace', () => {
    const values = recorded(trace);
    for (const time of moments(timeline)) {
      const { cards, chips } = played.at(time);
      const shown = [...cards.values()].flatMap(({ gradient, bucket }) =>
        [gradient, bucket].flatMap((beads) => [beads.value, beads.before]),
      );
      expect([...shown, ...chips.map((chip) => chip.value)].filter((value) => !values.has(value))).toEqual(
        [],
      );
    }
  });

  it('keep the objects of what does not change', () => {
    const [first] = timeline.segments.filter((segment) => segment.kind === 'send');
    if (!first) return;
    const [one, two] = [played.at(first.start + 100), played.at(first.start + 200)];
    const moved = [...one.edges].filter(([id, state]) => two.edges.get(id) !== state).map(([id]) => id);
    expect(moved).toEqual(first.deliveries.map((each) => each.edge));
    expect([...one.pills].filter(([id, state]) => two.pills.get(id) !== state)).toHaveLength(1);
  });

  it('end with what the passes left behind', () => {
    const { cards, chips, segment } = played.at(timeline.duration);
    expect(segment).toBeNull();
    expect(chips).toEqual([]);
    const after = new Map(
      trace.passes.flatMap((pass) => pass.accumulations.map((sum) => [sum.tensor, sum.after])),
    );
    for (const [id, { bucket }] of cards) expect(bucket.value).toBe(after.get(id) ?? null);
  });
});

describe('a leaf through time', () => {
  const trace = training(3);
  const { animation: played, timeline } = animation(trace);
  const w = trace.tensors.find(({ names }) => names[0] === 'w')!;
  const steps = timeline.segments.filter(({ beat }) => beat === 'write');

  function valueAt(time: number): Value | null {
    return contentNow(played.at(time).cards.get(w.id)!.content);
  }

  it('has the value of the version in force, and one card', () => {
    const states = moments(timeline).map((time) => [...played.at(time).cards.keys()]);
    expect(new Set(states.map((ids) => ids.join())).size).toBe(1);
    expect(steps).toHaveLength(3);
    steps.forEach(({ start, end }, k) => {
      expect(valueAt(start)).toBe(w.versions[k]!.value);
      expect(valueAt(end)).toBe(w.versions[k + 1]!.value);
    });
    expect(valueAt(timeline.duration)).toBe(w.versions[3]!.value);
  });

  it('has a bucket that empties when it is zeroed', () => {
    const zeroings = timeline.segments.filter(({ kind }) => kind === 'zero');
    const bucketAt = (time: number) => played.at(time).cards.get(w.id)!.bucket;
    expect(zeroings).toHaveLength(3);
    zeroings.slice(1).forEach(({ start, end }, k) => {
      const { after } = trace.passes[k]!.accumulations[0]!;
      expect(bucketAt(start)).toMatchObject({ state: 'full', summands: 1, before: after, mix: 0 });
      expect(bucketAt((start + end) / 2)).toMatchObject({ before: after, value: null });
      expect(bucketAt(end)).toMatchObject({ state: 'none', summands: 0, value: null });
    });
    expect(bucketAt(timeline.duration).value).toBe(trace.passes[2]!.accumulations[0]!.after);
  });

  it('adds up over passes without zeroing, counts every share, and zeros as none', () => {
    const sketch = new Sketch({ told: true });
    const x = sketch.leaf('x');
    const y = sketch.apply('mul', [x, x], { name: 'y' });
    sketch.backward(y);
    sketch.backward(y);
    sketch.zeroGrad('zeros');
    const { animation: film, timeline: course } = animation(sketch.trace());
    const zeroing = course.segments.at(-1)!;
    const { bucket } = film.at(zeroing.start).cards.get(x.id)!;
    expect(bucket).toMatchObject({ summands: 4, before: sketch.passes[1]!.accumulations[0]!.after, mix: 0 });
    const { bucket: zeroed } = film.at(course.duration).cards.get(x.id)!;
    expect(zeroed).toMatchObject({ state: 'full', summands: 0, value: { shape: [2], data: [0, 0] } });
  });

  it('has the view follow what changes, and stay there while the program prints', () => {
    const focusAt = (kind: string) => {
      const { start } = timeline.segments.find((each) => each.kind === kind)!;
      return played.at(start).focus;
    };
    expect([focusAt('step'), focusAt('print')]).toEqual([w.id, w.id]);
  });

  it('shows what is written between forward and backward', () => {
    const sketch = new Sketch({ told: true });
    const x = sketch.leaf('x');
    const y = sketch.apply('mul', [x, x], { name: 'y' });
    sketch.write(x, 'data', 'x.data[0] = 100');
    sketch.backward(y);
    const written = sketch.trace();
    const { animation: film, timeline: course } = animation(written);
    const write = course.segments.find(({ kind }) => kind === 'write')!;
    const [before, after] = written.tensors[0]!.versions.map(({ value }) => value);
    const contentAt = (time: number) => film.at(time).cards.get(x.id)!.content;
    expect(contentNow(contentAt(write.start))).toBe(before);
    expect(contentNow(contentAt(write.end))).toBe(after);
    expect(contentAt(write.end).version).toBe(1);
  });

  it('has the gradient that was written into it', () => {
    const sketch = new Sketch({ told: true });
    const x = sketch.leaf('x');
    sketch.backward(sketch.apply('mul', [x, x]));
    const clipped = sketch.writeGrad(x, 'x.grad.clamp_(0, 1)');
    const { animation: film, timeline: course } = animation(sketch.trace());
    expect(film.at(course.duration).cards.get(x.id)!.bucket).toMatchObject({ state: 'full', value: clipped });
  });
});

describe('a frame', () => {
  it('keeps waiting grad_inputs apart, then shows the sum of the trace', () => {
    const trace = shared();
    const { animation: played, timeline } = animation(trace);
    const add = timeline.segments.find((segment) => segment.kind === 'add' && segment.tensor === 't0')!;
    const before = played.at(add.start);
    expect(before.chips.filter((chip) => chip.tensor === 't0').map((chip) => [chip.slot, chip.of])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    expect(before.cards.get('t0')!.bucket.state).not.toBe('full');
    const after = played.at(add.end).cards.get('t0')!.bucket;
    expect(after).toMatchObject({
      state: 'full',
      summands: 3,
      value: trace.passes[0]!.accumulations[0]!.after,
    });
  });

  it('carries a bucket from pass to pass, and empties it where the program did', () => {
    for (const zeroed of [false, true]) {
      const { animation: played, timeline } = animation(shared(zeroed));
      const start = timeline.passes[1]!.start;
      expect(played.at(start).cards.get('t0')!.bucket.state).toBe(zeroed ? 'none' : 'full');
      expect(played.at(timeline.duration).cards.get('t0')!.bucket.summands).toBe(zeroed ? 3 : 6);
    }
  });

  it('begins each pass with empty gradients but the given one', () => {
    const { animation: played, timeline } = animation(shared());
    const { cards, edges } = played.at(timeline.passes[1]!.start);
    expect([...cards].filter(([, card]) => card.gradient.value).map(([id]) => id)).toEqual(['t4']);
    expect([...edges.values()].every((edge) => edge.fill === 0)).toBe(true);
  });

  it('asks for the gradient that was not given', () => {
    const { animation: played, timeline } = animation(ungiven());
    const frame = played.at(timeline.duration);
    expect(frame.cards.get('t1')!.gradient.unknown).toBe(true);
    expect(frame.seeds).toEqual([{ tensor: 't1', gradient: null, given: 'missing' }]);
  });

  it('rings the operands that the rule uses', () => {
    const { animation: played, timeline } = animation(product());
    const rule = timeline.segments.find((segment) => segment.kind === 'rule')!;
    const { cards } = played.at(rule.end - 1);
    expect([...cards].filter(([, card]) => card.ring).map(([id]) => id)).toEqual(['t0']);
  });

  it('dims what is not involved, and nothing at the end', () => {
    const { animation: played, timeline } = animation(shared());
    const send = timeline.segments.find((segment) => segment.kind === 'send')!;
    const during = played.at(send.start + 1);
    expect(during.edges.get(send.deliveries[0]!.edge)!.dim).toBe(false);
    expect([...during.pills.values()].filter((pill) => !pill.dim)).toHaveLength(1);
    const end = played.at(timeline.duration);
    expect([...end.edges.values(), ...end.pills.values()].some((state) => state.dim)).toBe(false);
  });

  it('stands still within a segment for those who ask for it', () => {
    const { animation: played, timeline } = animation(product());
    for (const { start, end } of timeline.segments)
      expect(plain(played.at(start + 1, true))).toEqual(plain(played.at(end - 1, true)));
  });

  it('shows what a pass with create_graph made once it has run', () => {
    const sketch = new Sketch();
    const x = sketch.leaf('x');
    const y = sketch.apply('pow', [x], { name: 'y' });
    sketch.backward(y, { kind: 'grad', create_graph: true });
    const g = sketch.apply('mul', [x], { name: 'g' }, { pass_id: 'p0' });
    sketch.tensors.at(-1)!.pass_id = 'p0';
    sketch.backward(g);
    const { animation: played, timeline } = animation(sketch.trace());
    const [first, second] = timeline.passes;
    expect(played.at(first!.end - 1).cards.get(g.id)!.value).toBe(0);
    expect(played.at(second!.start).cards.get(g.id)!.value).toBe(1);
  });
});

describe('a hook within a pass', () => {
  const sketch = new Sketch({ told: true });
  const x = sketch.leaf('x');
  const y = sketch.apply('exp', [x], { name: 'y' });
  const z = sketch.apply('sum', [y], { name: 'z', shape: [] });
  sketch.backward(z);
  const sketched = sketch.trace();
  const during = (step: number) => ({ during: { pass_id: sketched.passes[0]!.id, step } });
  const at = { place: null, span: null, node: null };
  const trace: Trace = {
    ...sketched,
    events: [
      ...sketched.events,
      { kind: 'hook', tensor: y.id, ...at, ...during(1) },
      { kind: 'hook', tensor: x.id, ...at, ...during(2) },
    ],
  };
  const { animation: played, timeline } = animation(trace);
  const [ofMiddle, ofLeaf] = timeline.segments.filter(({ kind }) => kind === 'hook');

  it('takes nothing away that the pass has brought', () => {
    for (const hook of [ofMiddle!, ofLeaf!]) {
      const { cards, edges } = played.at((hook.start + hook.end) / 2);
      expect(cards.get(y.id)!.gradient.value).toBe(trace.passes[0]!.gradients[y.id]);
      expect([...edges.values()].some(({ fill }) => fill === 1)).toBe(true);
    }
  });

  it('has the gradient wait before the bucket of a leaf', () => {
    const { cards, chips } = played.at((ofLeaf!.start + ofLeaf!.end) / 2);
    expect(chips.map(({ tensor, at: way }) => [tensor, way])).toEqual([[x.id, 1]]);
    expect(cards.get(x.id)!.bucket).toMatchObject({ state: 'waiting', value: null });
    expect(played.at(timeline.duration).cards.get(x.id)!.bucket.state).toBe('full');
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { cutLoop, inTurns, loop, trainingLoop } from '../../test/loops';
import { Sketch, type Sketched } from '../../test/sketch';
import { courseOf } from '../animation/course';
import { Animation } from '../animation/frame';
import { buildTimeline, restTime, segmentAt } from '../animation/timeline';
import { markAway } from '../graph/away';
import { foldAt, groupsOf } from '../graph/folding';
import { modelOf } from '../graph/model';
import { GraphSource } from '../graph/source';
import type { Turn } from '../trace/places';
import { timeInTurn } from './other_turn';

/** `h = tanh(h @ w)` so many times, then `y = h.sum()`. */
function chained(turns: number): Trace {
  const sketch = new Sketch({ told: true });
  const w = sketch.leaf('w');
  let h = sketch.constant({ name: 'h' });
  inTurns(sketch, loop(sketch), [...Array(turns).keys()], () => {
    h = sketch.apply('tanh', [sketch.apply('mul', [h, w])], { name: 'h' });
  });
  sketch.backward(sketch.apply('sum', [h], { name: 'y', shape: [] }));
  return sketch.trace();
}

/** A layer after the other, each with a weight of its own. */
function layers(turns: number): Trace {
  const sketch = new Sketch({ told: true });
  let h: Sketched = sketch.constant({ name: 'x' });
  const weights = [...Array(turns).keys()].map((k) => sketch.leaf(`layers.${k}.weight`));
  inTurns(sketch, loop(sketch), [...Array(turns).keys()], (k) => {
    for (let time = 0; time < 6; time += 1) h = sketch.apply('mul', [h, weights[k]!]);
  });
  sketch.backward(h);
  return sketch.trace();
}

function sourceOf(trace: Trace): GraphSource {
  return new GraphSource(trace, courseOf(trace, buildTimeline(trace)));
}

function modelAt(source: GraphSource, segment: number) {
  const choice = source.turns.at(segment);
  const context = source.slices.at(choice);
  const groups = groupsOf(source.trace, context.nodes, context.tensors, source.scopes, (place) =>
    source.turns.stacked(place, choice),
  );
  const folding = foldAt(groups, {}, { depth: Infinity, lines: false });
  return markAway(modelOf(context, folding, 'rows'), source.turns, choice);
}

/** The number of the turn whose frame is drawn at each segment. */
function shownTurns(source: GraphSource): number[] {
  const { segments } = buildTimeline(source.trace);
  return segments.map(({ index }) => modelAt(source, index).groupFrames[0]?.group.turn?.number ?? 0);
}

/** The segment of the turn beside one, at the same beat. */
function besideOf({ trace, turns }: GraphSource, turn: Turn, by: -1 | 1, index: number): number | null {
  const timeline = buildTimeline(trace);
  const time = restTime(timeline.segments[index]!);
  const found = timeInTurn(trace, timeline, turns, { ...turn, number: turn.number + by }, time);
  return found === null ? null : segmentAt(timeline, found)!.segment.index;
}

describe('turns of a training loop', () => {
  const source = sourceOf(trainingLoop(3));

  it('take the places of each other, in the order of the program', () => {
    const turns = shownTurns(source);
    expect([...new Set(turns)]).toEqual([1, 2, 3]);
    expect(turns).toEqual(turns.toSorted((x, y) => x - y));
  });

  it('show their own functions, and what is the same in all of them', () => {
    const models = [0, Infinity].map((segment) => modelAt(source, segment));
    for (const { cards } of models)
      expect(cards.map(({ tensor, maker }) => tensor.names[0] ?? maker?.label)).toEqual([
        'x',
        'w',
        'mul',
        'loss',
      ]);
    expect(models[0]!.cards[2]!.id).not.toBe(models[1]!.cards[2]!.id);
  });

  it('have frames of one id, so that what a reader folds stays folded', () => {
    const ids = [0, Infinity].map((segment) => modelAt(source, segment).groupFrames[0]!.group.id);
    expect(ids[0]).toBe(ids[1]);
  });

  it('are gone to at the same place of the turn beside', () => {
    const { turns } = source;
    const first = turns.at(0);
    const segments = buildTimeline(source.trace).segments;
    const begin = shownTurns(source).indexOf(2);
    const turn = modelAt(source, begin).groupFrames[0]!.group.turn!;
    const back = besideOf(source, turn, -1, begin + 2)!;
    expect(turns.at(back).key).toBe(first.key);
    const onward = besideOf(source, turn, 1, begin + 2)!;
    expect(segments[onward]!.kind).toBe(segments[begin + 2]!.kind);
    expect(turns.has(turn.loop, 4)).toBe(false);
    expect(besideOf(source, { ...turn, number: 3 }, 1, onward)).toBeNull();
  });
});

describe('what a function reads from many turns', () => {
  /** `terms.append(tanh(x * w) * x * ...)` so many times, then `y = stack(terms)`. */
  function collected(turns: number): GraphSource {
    const sketch = new Sketch({ told: true });
    const [w, x] = [sketch.leaf('w'), sketch.constant({ name: 'x' })];
    const terms: Sketched[] = [];
    inTurns(sketch, loop(sketch), [...Array(turns).keys()], () => {
      let term = sketch.apply('tanh', [sketch.apply('mul', [x, w])]);
      for (let time = 0; time < 5; time += 1) term = sketch.apply('mul', [x, term]);
      terms.push(term);
    });
    sketch.backward(sketch.apply('stack', terms, { name: 'y' }));
    return sourceOf(sketch.trace());
  }

  it('is drawn of the first and the last turns, which say that others stand between them', () => {
    const source = collected(20);
    const last = buildTimeline(source.trace).segments.length - 1;
    const shown = source.turns.at(last);
    const came = modelAt(source, last).cards.filter(({ from }) => from !== null);
    expect(shown.isStacked).toBe(true);
    const turns = came.map(({ from, gap }) => [from, gap]);
    const numbers = [...Array(20).keys()].map((k) => k + 1);
    const away = numbers.filter(
      (n) => ![...shown.ids].some((id) => source.turns.around(id).at(-1)!.number === n),
    );
    expect(turns).toEqual([
      [away[0], false],
      [away[1], false],
      [away.at(-2), true],
      [away.at(-1), false],
    ]);
  });

  it('says so also where the turn on screen stands between', () => {
    const source = collected(20);
    const { segments } = buildTimeline(source.trace);
    const gaps = segments.map(({ index }) => {
      const came = modelAt(source, index).cards.filter(({ from }) => from !== null);
      return came.map(({ gap }) => gap).join();
    });
    expect([...new Set(gaps)].filter(Boolean)).toEqual(['false,false,true,false']);
  });

  it('is drawn whole where it is from few', () => {
    const source = collected(6);
    const last = buildTimeline(source.trace).segments.length - 1;
    const came = modelAt(source, last).cards.filter(({ from }) => from !== null);
    expect(came.map(({ gap }) => gap)).toEqual([false, false, false, false, false]);
  });
});

describe('a turn that was not written whole', () => {
  const source = sourceOf(cutLoop(10, [0, 4, 8]));
  const { segments } = buildTimeline(source.trace);
  const numbers = shownTurns(source);
  const emptied = numbers.indexOf(2);

  it('is shown under its own number, in the places of the next that was', () => {
    expect(segments[emptied]!.kind).toBe('zero');
    const [before, during, after] = [emptied - 1, emptied, numbers.indexOf(5)].map((k) => modelAt(source, k));
    expect(during!.cards.map(({ id }) => id)).toEqual(after!.cards.map(({ id }) => id));
    expect(during!.cards.length).toBe(before!.cards.length);
    expect(during!.groupFrames[0]!.group.id).toBe(before!.groupFrames[0]!.group.id);
  });

  it('has made nothing that is drawn: the leaves alone have values', () => {
    const frame = new Animation(source.trace, buildTimeline(source.trace)).at(
      restTime(segments[emptied]!),
      true,
    );
    const made = modelAt(source, emptied).cards.filter(({ maker }) => maker !== null);
    expect(made.map(({ id }) => frame.cards.get(id)!.value)).toEqual(made.map(() => 0));
  });
});

describe('turns that read what the turn before has made', () => {
  it('are all drawn where they are few', () => {
    expect(modelAt(sourceOf(chained(3)), 0).groupFrames.map(({ group }) => group.turn)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('are drawn one at a time where they are many; what comes in says from which turn', () => {
    const source = sourceOf(chained(20));
    const model = modelAt(source, 12);
    const shown = model.groupFrames[0]!.group.turn!;
    const came = model.cards.filter(({ from }) => from !== null);
    expect(came.map(({ from }) => from)).toEqual([shown.number - 1]);
    expect(model.cards.length).toBeLessThan(10);
  });

  it('lead out of the frame to what is read after the loop, by a line that carries nothing', () => {
    const model = modelAt(sourceOf(chained(20)), 0);
    const line = model.links.find(({ id }) => id.startsWith('later:'))!;
    expect(line.edges).toEqual([]);
    expect(model.cards.find(({ id }) => id === line.target)!.from).toBe(20);
    expect(model.groupFrames[0]!.members).toContain(line.source);
  });

  it('go back with the gradient', () => {
    const numbers = shownTurns(sourceOf(chained(20)));
    expect(numbers.indexOf(20)).toBeLessThan(numbers.lastIndexOf(1));
    expect(numbers.at(-1)).toBe(1);
  });

  it('are gone to in the pass at hand, from wherever it has come', () => {
    const { trace, turns } = sourceOf(chained(20));
    const timeline = buildTimeline(trace);
    const [turn] = turns.around(trace.nodes[0]!.place);
    const kindIn = (number: number, time: number) => {
      const found = timeInTurn(trace, timeline, turns, { loop: turn!.loop, number }, time)!;
      return segmentAt(timeline, found)!.segment.pass;
    };
    const backward = timeline.segments.filter(({ pass }) => pass === 0);
    const [begin, end] = [backward[4]!, backward.at(-1)!];
    for (const number of [1, 2, 10, 19, 20]) {
      expect(kindIn(number, restTime(begin))).toBe(0);
      expect(kindIn(number, restTime(end))).toBe(0);
      expect(kindIn(number, restTime(timeline.segments[3]!))).toBeNull();
    }
  });
});

it('keeps in sight all leaves of a loop that brings others in each turn', () => {
  const model = modelAt(sourceOf(layers(6)), 0);
  expect(model.cards.filter(({ bucket }) => bucket)).toHaveLength(6);
});

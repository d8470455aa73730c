import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { cutLoop, inTurns, loop, lossOf, trainingLoop } from '../../test/loops';
import { chain, training } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { buildChapters, chapterAt, turnAt, type Chapter } from './chapters';
import { sameBeat } from './same_beat';
import { buildTimeline, restTime } from '../animation/timeline';
import { actBeside, allActs, turnBeside, turnNumbered } from './turn_moves';

function chaptersOf(trace: Trace) {
  const timeline = buildTimeline(trace);
  return { trace, timeline, chapters: buildChapters(trace, timeline) };
}

const named = ({ kind, turn, upTo }: Chapter) =>
  turn ? `${kind} ${turn.number}${upTo > turn.number ? `-${upTo}` : ''}` : kind;
const acts = (chapter: Chapter | undefined) => chapter?.acts.map(({ kind }) => kind);

describe('chapters', () => {
  it('are one for each turn of the training loop, with the setup before', () => {
    const { chapters, timeline } = chaptersOf(trainingLoop(3));
    expect(chapters.list.map(named)).toEqual(['setup', 'turn 1', 'turn 2', 'turn 3']);
    expect(acts(chapters.list[1])).toEqual(['forward', 'backward', 'step']);
    expect(acts(chapters.list[2])).toEqual(['zero', 'forward', 'backward', 'step']);
    expect(chapters.list[2]!.turn).toMatchObject({ number: 2, of: 3, variable: 'epoch = 1' });
    expect(chapters.list.at(-1)!.end).toBe(timeline.duration);
  });

  it('leave no segment out and follow each other without a break', () => {
    const { chapters, timeline } = chaptersOf(trainingLoop(4));
    expect(chapters.owners).toHaveLength(timeline.segments.length);
    chapters.list.slice(1).forEach(({ first, start, acts: own }, k) => {
      expect(first).toBe(chapters.list[k]!.until);
      expect(start).toBe(chapters.list[k]!.end);
      expect(own[0]!.first).toBe(first);
    });
  });

  it('are none where no loop trains, or where it has one turn', () => {
    expect(chaptersOf(chain(3)).chapters.list).toEqual([]);
    expect(chaptersOf(training(3)).chapters.list).toEqual([]);
    expect(chaptersOf(trainingLoop(1)).chapters.list).toEqual([]);
  });

  it('follow the outermost loop', () => {
    const sketch = new Sketch({ told: true });
    const [x, w] = [sketch.constant({ name: 'x' }), sketch.leaf('w')];
    inTurns(sketch, loop(sketch), [0, 1], () =>
      inTurns(sketch, loop(sketch), [0, 1, 2], () => {
        lossOf(sketch, w, x);
        sketch.step();
      }),
    );
    sketch.apply('exp', [w]);
    const { chapters } = chaptersOf(sketch.trace());
    expect(chapters.list.map(named)).toEqual(['setup', 'turn 1', 'turn 2', 'after']);
    expect(acts(chapters.list[1])).toEqual(Array(3).fill(['forward', 'backward', 'step']).flat());
  });

  it('tell apart what is only printed', () => {
    const sketch = new Sketch({ told: true });
    const [x, w] = [sketch.constant({ name: 'x' }), sketch.leaf('w')];
    inTurns(sketch, loop(sketch), [0, 1], (turn) => {
      sketch.print(`${turn}\n`);
      lossOf(sketch, w, x);
    });
    sketch.print('done\n');
    const { chapters } = chaptersOf(sketch.trace());
    expect(acts(chapters.list.at(-1))).toEqual(['other']);
    expect(acts(chapters.list[2])).toEqual(['other', 'forward', 'backward']);
  });

  it('have gaps for the turns that were left out', () => {
    const { chapters } = chaptersOf(cutLoop(100, [0, 40, 99]));
    const expected = ['setup', 'turn 1', 'gap 2-40', 'turn 41', 'gap 42-99', 'turn 100'];
    expect(chapters.list.map(named)).toEqual(expected);
    expect(chapters.list[2]!.until - chapters.list[2]!.first).toBe(1);
    expect(chapters.owners).toHaveLength(chapters.turns.length);
  });

  it('are found by time', () => {
    const { chapters, timeline } = chaptersOf(trainingLoop(3));
    const second = chapters.list[2]!;
    expect(chapterAt(chapters, timeline, second.start)).toBe(second);
    expect(turnAt(chapters, timeline, second.start)!.number).toBe(2);
    expect(turnAt(chapters, timeline, 0)).toBeNull();
    expect(chapterAt(chapters, timeline, second.start - 1)!.turn!.number).toBe(1);
  });

  it('take time in proportion to their number', () => {
    const trace = trainingLoop(300);
    const long = buildTimeline(trace);
    const begun = performance.now();
    expect(buildChapters(trace, long).list).toHaveLength(301);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

describe('going from turn to turn', () => {
  const { trace, timeline, chapters } = chaptersOf(trainingLoop(3));
  const [setup, first, second, third] = chapters.list as [Chapter, Chapter, Chapter, Chapter];
  const here = (index: number) => ({ segment: timeline.segments[index]!, progress: 0.25 });

  it('keeps the beat', () => {
    for (let k = second.first; k < second.until; k += 1) {
      const time = sameBeat(trace, timeline, second, third, here(k));
      const same = timeline.segments[third.first + k - second.first]!;
      expect(time).toBeCloseTo(same.start + 0.25 * (same.end - same.start), 6);
    }
  });

  it('finds the same function behind an act that only one of them has', () => {
    const rule = timeline.segments.slice(second.first).find(({ kind }) => kind === 'rule')!;
    const time = sameBeat(trace, timeline, second, first, here(rule.index));
    const found = timeline.segments.find(({ start, end }) => start <= time && time < end)!;
    expect([found.kind, found.step, found.pass]).toEqual(['rule', rule.step, 0]);
    expect(sameBeat(trace, timeline, second, first, here(second.first))).toBe(first.start);
  });

  it('ends at the first and the last turn', () => {
    expect(turnBeside(chapters, setup, 1)).toBe(first);
    expect(turnBeside(chapters, first, -1)).toBeNull();
    expect(turnBeside(chapters, third, 1)).toBeNull();
  });

  it('goes to the nearest turn that was kept', () => {
    const { chapters: cut } = chaptersOf(cutLoop(100, [0, 40, 99]));
    expect(turnNumbered(cut, null, 30)!.turn!.number).toBe(41);
    expect(turnNumbered(cut, null, 100)!.turn!.number).toBe(100);
    expect(turnBeside(cut, cut.list[1]!, 1)!.turn!.number).toBe(41);
  });

  it('goes from act to act', () => {
    const all = allActs(chapters);
    const [zero, forward, backward] = second.acts;
    const inForward = restTime(timeline.segments[forward!.first]!);
    expect(actBeside(all, inForward, 1)).toBe(backward);
    expect(actBeside(all, inForward, -1)).toBe(zero);
    expect(actBeside(all, timeline.duration, 1)).toBeNull();
  });
});

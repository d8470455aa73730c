import { describe, expect, it } from 'vitest';
import { en } from '../../i18n/en';
import { cutLoop, trainingLoop } from '../../test/loops';
import { sentenceFor } from '../animation/narration';
import { buildTimeline } from '../animation/timeline';
import { Lookup } from '../trace/lookup';
import { buildChapters } from './chapters';
import { shownPasses } from '../trace/names/shown_passes';
import { shownTurns } from './shown_part';

function turnsOf(trace: ReturnType<typeof cutLoop>) {
  const chapters = buildChapters(trace, buildTimeline(trace));
  return shownTurns(chapters, chapters.list[1]!.turn!.loop);
}

describe('the part of a run that is shown', () => {
  it('is told with its step', () => {
    const trace = cutLoop(10, [0, 2, 4, 6, 8, 9]);
    expect(shownPasses(trace)).toEqual({ shown: 6, of: 10, every: 2 });
    expect(turnsOf(trace)).toEqual({ shown: 6, of: 10, every: 2 });
  });

  it('has no step where it is uneven', () => {
    expect(shownPasses(cutLoop(100, [0, 40, 99]))).toEqual({ shown: 3, of: 100, every: null });
  });

  it('is the whole of a short run', () => {
    expect(shownPasses(trainingLoop(3))).toMatchObject({ shown: 3, of: 3 });
    expect(turnsOf(trainingLoop(3))).toBeNull();
  });

  it('is named in the last sentence', () => {
    const trace = cutLoop(10, [0, 2, 4, 6, 8, 9]);
    const timeline = buildTimeline(trace);
    const cursor = { lookup: new Lookup(trace), timeline, segment: timeline.segments.at(-1)!, ended: true };
    expect(sentenceFor(en, cursor)).toContain('All 10 backward passes are complete; 6 of them are shown.');
  });
});

import { segmentAt } from '../../lib/animation/timeline';
import { chapterAt, turnAt } from '../../lib/chapters/chapters';
import { session } from '../session.svelte';

/** Where the cursor is for the words about it: while it is dragged they change no faster than one can read. */
class Said {
  segment = $derived(segmentAt(session.timeline, session.resting.told)?.segment ?? null);
  chapter = $derived(chapterAt(session.chapters, session.timeline, session.resting.told));
  turn = $derived(turnAt(session.chapters, session.timeline, session.resting.told));
  ended = $derived(session.resting.told >= session.timeline.duration - 1);

  get time(): number {
    return session.resting.told;
  }
  get lookup() {
    return session.lookup;
  }
  get timeline() {
    return session.timeline;
  }
  get running(): boolean {
    return session.running;
  }
}

export const said = new Said();

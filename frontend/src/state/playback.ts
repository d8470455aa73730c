import type { Command } from '../lib/page/keys';
import { session } from './session.svelte';

/** The commands that move the playhead, wherever a run plays. */
export const playback = {
  toggle: () => session.toggle(),
  back: (isHeld) => session.step(-1, isHeld),
  forward: (isHeld) => session.step(1, isHeld),
  first: () => session.toStart(),
  last: () => session.toEnd(),
  previousTurn: () => session.previousTurn(),
  nextTurn: () => session.nextTurn(),
  previousAct: () => session.stepAct(-1),
  nextAct: () => session.stepAct(1),
} satisfies Partial<Record<Command, (isHeld?: boolean) => void>>;

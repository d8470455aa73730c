import type { Act } from './acts';
import type { Chapter, Chapters } from './chapters';

/** The nearest turn before (-1) or after (1) a chapter that can be gone to. */
export function turnBeside({ list }: Chapters, { index }: Chapter, direction: 1 | -1): Chapter | null {
  const isTurn = ({ kind }: Chapter) => kind === 'turn';
  return direction > 0
    ? (list.slice(index + 1).find(isTurn) ?? null)
    : (list.slice(0, index).findLast(isTurn) ?? null);
}

/** The turn with a number, else the nearest that can be gone to. */
export function turnNumbered({ list }: Chapters, loop: string | null, number: number): Chapter | null {
  const turns = list.filter(({ kind, turn }) => kind === 'turn' && (loop === null || turn?.loop === loop));
  const distance = ({ turn }: Chapter) => Math.abs((turn?.number ?? 0) - number);
  return turns.reduce<Chapter | null>(
    (best, each) => (best && distance(best) <= distance(each) ? best : each),
    null,
  );
}

/** All acts of a run, in their order. */
export function allActs({ list }: Chapters): Act[] {
  return list.flatMap(({ acts }) => acts);
}

/** The act before (-1) or after (1) the one at a time. */
export function actBeside(acts: readonly Act[], time: number, direction: 1 | -1): Act | null {
  const at = acts.findLastIndex(({ start }) => start <= time);
  return acts[at + direction] ?? null;
}

import { partOf, type ShownPart } from '../trace/names/shown_passes';
import type { Chapters } from './chapters';

/** The turns of a training loop among those that ran; null where each is shown. */
export function shownTurns({ list }: Chapters, loop: string | null): ShownPart | null {
  const own = list.filter(({ kind, turn }) => kind === 'turn' && turn?.loop === loop);
  const of = own[0]?.turn?.of ?? 0;
  const numbers = own.map(({ turn }) => turn!.number);
  return numbers.length < of ? partOf(numbers, of) : null;
}

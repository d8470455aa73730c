import type { Messages } from '../../i18n/en';
import { actAt, type Act } from '../../lib/chapters/acts';
import { optimizerOf, stepsOf } from '../../lib/chapters/act_steps';
import type { Chapter } from '../../lib/chapters/chapters';
import { segmentLabel } from '../../lib/animation/narration';
import type { Segment, Timeline } from '../../lib/animation/segments';
import type { Turn } from '../../lib/trace/places';
import type { Lookup } from '../../lib/trace/lookup';

/** Where the cursor is. */
export interface Place {
  lookup: Lookup;
  timeline: Timeline;
  segment: Segment | null;
  chapter: Chapter | null;
  turn: Turn | null;
}

/** What a closed chapter is called. */
export function chapterName(t: Messages, { kind, turn, upTo }: Chapter): string {
  if (kind === 'gap') return t.transport.turns(turn?.number ?? 0, upTo);
  return kind === 'turn' ? t.transport.turn(turn?.number ?? 0) : t.transport.chapters[kind];
}

/** The act at hand. */
export function actOf({ chapter, segment }: Place): Act | null {
  return chapter && segment && actAt(chapter.acts, segment.index);
}

/** How far the act at hand has come. */
function progressIn({ lookup, timeline, segment }: Place, act: Act | null): [number, number] {
  if (!act || !segment) return [0, 0];
  const steps = stepsOf(lookup, timeline.segments, act);
  return [steps.findIndex(({ until }) => segment.index < until) + 1, steps.length];
}

/** `4 / 4` */
export function countShort(place: Place): string {
  return progressIn(place, actOf(place)).join(' / ');
}

/** Two lines: the turn, and how far its act has come. */
export function countIn(t: Messages, place: Place): [string, string] {
  const { lookup, timeline, segment, chapter, turn } = place;
  const act = actOf(place);
  const title = turn ? t.transport.turnCount(turn.number, turn.of) : chapter ? chapterName(t, chapter) : '';
  if (!act || !segment) return [title, ''];
  const name = t.transport.acts[act.kind];
  if (act.kind === 'zero' || act.kind === 'other') return [title, name];
  const optimizer = act.kind === 'step' ? optimizerOf(lookup, timeline.segments, act, segment.index) : '';
  if (act.kind === 'step') return [title, name + (optimizer && t.gradient.comma + optimizer)];
  return [title, t.transport.actStep(name, ...progressIn(place, act))];
}

/** What the beat at hand is called under the ruler. */
export function beatName(t: Messages, lookup: Lookup, segment: Segment): string {
  if (segment.kind === 'zero') return t.transport.zeroBeat;
  if (segment.kind === 'forward') return `\`${lookup.name(segment.tensor)}\``;
  if (segment.kind !== 'step') return segmentLabel(t, lookup, segment);
  return segment.beat ? t.update.labels[segment.beat] : t.transport.stepBeat;
}

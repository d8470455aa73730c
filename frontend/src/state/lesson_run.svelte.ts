import * as api from '../api/client';
import { Problem } from '../api/client';
import type { Lesson, LessonHead, LessonStep } from '../api/types';
import { functionNames, isMet, readNumber, type PlayheadPlace, type Situation } from '../lib/lessons/check';
import { keepProgress, readProgress } from '../lib/lessons/progress';
import { unravel } from '../lib/trace/values';
import { lessons } from './lessons.svelte';
import { session } from './session.svelte';

/** What the page calls the beats of the timeline, where a lesson calls them otherwise. */
const BEATS: Record<string, string> = { send: 'share' };

/** A lesson while the reader is at it: the step at hand, what is done, the help that was asked for. */
export class LessonRun {
  lesson = $state.raw<Lesson | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** All lessons, to tell which one this is and which comes next. */
  heads = $state.raw<LessonHead[]>([]);
  at = $state(0);
  done = $state.raw<boolean[]>([]);
  /** How many hints of the step are shown. */
  hints = $state(0);
  /** The line is shown. */
  shown = $state(false);
  /** What was typed, when it was checked; null before. */
  answer = $state<string | null>(null);
  /** The programs of the steps as the reader left them. */
  private readonly left: Record<number, string> = {};

  step = $derived<LessonStep | null>(this.lesson?.steps[this.at] ?? null);
  isDone = $derived(this.done[this.at] ?? false);
  isLast = $derived(this.at === (this.lesson?.steps.length ?? 0) - 1);
  number = $derived(this.heads.findIndex(({ id }) => id === this.lesson?.id) + 1);
  /** The lesson after this one. */
  following = $derived(this.number > 0 ? (this.heads[this.number] ?? null) : null);
  /** The program with which the step at hand began. */
  private beginning = $state('');
  /** The program is another than the one with which the step began. */
  isChanged = $derived(this.step !== null && session.source !== this.beginning);

  readonly id: string;
  private readonly keepsProgram: boolean;

  constructor(id: string) {
    this.id = id;
    this.keepsProgram = lessons.keepsProgram;
  }

  async load(): Promise<void> {
    this.problem = null;
    try {
      const [lesson, heads] = await Promise.all([api.lesson(this.id), api.lessons()]);
      // Who has left it meanwhile keeps the program at hand.
      if (lessons.open === this.id) this.begin(lesson, heads);
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      this.problem = cause;
    }
  }

  private begin(lesson: Lesson, heads: LessonHead[]): void {
    const { step = 0, done = [] } = readProgress()[lesson.id] ?? {};
    const count = lesson.steps.length;
    const wasFinished = done.length >= count && done.slice(0, count).every(Boolean);
    this.heads = heads;
    this.done = wasFinished ? [] : done.slice(0, count);
    this.lesson = lesson;
    this.enter(wasFinished ? 0 : Math.min(step, count - 1), this.keepsProgram ? session.source : null);
    lessons.begun = true;
  }

  /** Shows a step, with the program that the reader had there, else with the one given, else its own. */
  private enter(at: number, program: string | null, beginning: string | null = null): void {
    const step = this.lesson?.steps[at];
    if (!step) return;
    this.at = at;
    this.hints = 0;
    this.shown = false;
    this.answer = null;
    const source = this.left[at] ?? program ?? step.program;
    this.beginning = beginning ?? step.program;
    if (source !== session.source) session.load(source);
    if (step.check.view === null && session.view !== 'graph') session.view = 'graph';
    if (step.check.chosen) session.select(null);
    this.keep();
  }

  private keep(): void {
    if (this.lesson) keepProgress(this.lesson.id, { step: this.at, done: this.done });
  }

  back(): void {
    if (this.at === 0) return;
    this.left[this.at] = session.source;
    this.enter(this.at - 1, null);
  }

  /** The step after this one goes on with the program as it is, unless it has one of its own. */
  next(): void {
    if (!this.isDone || !this.lesson) return;
    this.left[this.at] = session.source;
    const step = this.lesson.steps[this.at + 1];
    const program = step?.fresh ? null : session.source;
    if (step) this.enter(this.at + 1, program, program);
    else if (this.following) lessons.start(this.following.id);
    else lessons.listed = true;
  }

  /** The program of the step as it was at its beginning. */
  restart(): void {
    if (this.step) session.load(this.beginning);
  }

  /** The reader has typed an answer; false where it is no number. */
  say(text: string): boolean {
    if (readNumber(text) === null) return false;
    this.answer = text.trim();
    return true;
  }

  /** What the wrong answer would be right for, where that is known. */
  mistake = $derived.by(() => {
    const number = this.answer === null ? null : readNumber(this.answer);
    return this.step?.mistakes.find(({ answer }) => answer === number)?.means ?? null;
  });

  /** Marks the step as done once it is; true where it has just been. To be called in an effect. */
  advance(): boolean {
    const { step } = this;
    if (!step || this.isDone || session.report.source !== session.source) return false;
    if (!isMet(step.check, this.situation())) return false;
    this.done = Array.from({ length: Math.max(this.done.length, this.at + 1) }, (_, k) =>
      k === this.at ? true : (this.done[k] ?? false),
    );
    this.keep();
    return true;
  }

  private situation(): Situation {
    return {
      trace: session.report,
      chosen: chosenNames(),
      view: session.view,
      playhead: playhead(),
      ended: session.ended && session.timeline.segments.length > 0,
      answer: this.answer === null ? null : readNumber(this.answer),
    };
  }
}

function chosenNames(): string[] {
  const { selection, lookup } = session;
  if (!selection) return [];
  const node = lookup.node(selection.id);
  if (node) return functionNames(node);
  const tensor = lookup.tensor(selection.id);
  if (!tensor) return [];
  const { element } = selection;
  const index = element === undefined ? null : `[${unravel(element, tensor.shape).join(', ')}]`;
  return tensor.names.flatMap((name) => [name, ...(index ? [`${name}${index}`] : [])]);
}

function playhead(): PlayheadPlace | null {
  const { segment, lookup } = session;
  if (!segment) return null;
  const tensors = [segment.tensor, ...segment.deliveries.map(({ tensor }) => tensor)];
  const node = lookup.node(segment.node);
  return {
    beat: BEATS[segment.kind] ?? segment.kind,
    of: [...tensors.flatMap((id) => lookup.tensor(id)?.names ?? []), ...(node ? functionNames(node) : [])],
  };
}

import * as api from '../api/client';
import type { Problem } from '../api/client';
import type { Example, TensorRecord, Trace, TraceRequest } from '../api/types';
import type { Act } from '../lib/chapters/acts';
import { buildChapters, chapterAt, turnAt, type Chapter } from '../lib/chapters/chapters';
import { createClock } from '../lib/animation/clock';
import { opening, timeAt, type Moment } from '../lib/animation/now/opening';
import { sameBeat } from '../lib/chapters/same_beat';
import {
  aboutOf,
  buildTimeline,
  passAt,
  restBeside,
  restTime,
  sameCourse,
  segmentAt,
  toldAt,
} from '../lib/animation/timeline';
import { EMPTY, isRefused } from '../api/empty_trace';
import { actBeside, allActs, turnBeside, turnNumbered } from '../lib/chapters/turn_moves';
import {
  unweightedOutput,
  withArgument,
  withMisshapen,
  withMissingArgument,
  withReplaced,
} from '../lib/gradient/argument_edit';
import { argumentText, validEdits, type Edits } from '../lib/gradient/gradient_edit';
import { draftTrace } from '../lib/gradient/jacobian_draft';
import { requestFor } from '../lib/gradient/run_request';
import type { View } from '../lib/page/url';
import { Lookup, type RecordRef } from '../lib/trace/lookup';
import { maxima, type Maxima } from '../lib/trace/values';
import { RequestQueue } from './request_queue';
import { RestingTime } from './time/resting_time.svelte';
import { Undo } from './undo.svelte';

export const speeds = [0.25, 0.5, 1, 2, 4] as const;

/** Everything that the page shows follows from this state: the program, the gradients given, the trace, the cursor. */
export class Session {
  source = $state('');
  edits = $state.raw<Edits>({});
  /** The run whose graph is on screen. */
  private graph = $state.raw<Trace>(EMPTY);
  private latest = $state.raw<Trace>(EMPTY);
  /** Stands in for `graph` while a cell is dragged, until the server has answered. */
  private draft = $state.raw<Trace | null>(null);
  time = $state(0);
  readonly resting = new RestingTime();
  playing = $state(false);
  speed = $state(1);
  /** What the reader points at. */
  hovered = $state.raw<RecordRef | null>(null);
  selection = $state.raw<RecordRef | null>(null);
  view = $state<View>('graph');
  examples = $state.raw<Example[]>([]);
  problem = $state.raw<Problem | null>(null);
  running = $state(false);
  /** The ends of the colour scales while a cell is dragged: they settle when the drag ends. */
  private held = $state.raw<Maxima | null>(null);
  private ranSource = $state('');
  /** By pass: the expression that the grid has taken the place of. */
  replaced = $state.raw<Record<string, string>>({});
  private readonly past = new Undo<Pick<Session, 'source' | 'edits' | 'replaced'>>();
  /** The program as the grid wrote it last. */
  private written: string | null = null;

  /** What the reader is to work out is in no trace that the page reads. */
  mask = $state.raw<(trace: Trace) => Trace>((trace) => trace);
  unmasked = $derived(this.draft ?? this.graph);
  trace = $derived(this.mask(this.unmasked));
  isMasked = $derived(this.trace !== this.unmasked);
  /** The latest run, which may have failed before it had a graph. */
  report = $derived(this.mask(this.latest));
  timeline = $derived(buildTimeline(this.trace));
  lookup = $derived(new Lookup(this.trace));
  maxima = $derived(this.held ?? maxima(this.trace));
  dragging = $derived(this.held !== null);
  here = $derived(segmentAt(this.timeline, this.time));
  segment = $derived(this.here?.segment ?? null);
  chapters = $derived(buildChapters(this.trace, this.timeline));
  private acts = $derived(allActs(this.chapters));
  /** The part of the run at hand; null where no loop trains. */
  chapter = $derived(chapterAt(this.chapters, this.timeline, this.time));
  /** The turn of a training loop at hand; null outside. */
  turn = $derived(turnAt(this.chapters, this.timeline, this.time));
  ended = $derived(this.time >= this.timeline.duration - 1);
  stale = $derived(this.graph !== this.latest || this.source !== this.ranSource);
  canUndo = $derived(!this.past.isEmpty);
  /** The index of the pass under the cursor, else of the one before, else of the first. */
  passIndex = $derived(passAt(this.timeline, this.segment));
  pass = $derived(this.passIndex === null ? null : (this.trace.passes[this.passIndex] ?? null));
  /** The tensor that the error is about, where the run failed. */
  private culprit = $derived((this.ended && this.trace.error?.tensor) || null);
  /** Where the playhead rests. */
  restedSegment = $derived(segmentAt(this.timeline, this.resting.now)?.segment ?? null);
  restedPass = $derived(this.trace.passes[passAt(this.timeline, this.restedSegment) ?? -1] ?? null);
  /** The segment at rest; of a print, a hook or a setting the one before it. */
  private told = $derived(this.restedSegment && toldAt(this.timeline, this.restedSegment));
  /** What the inspector speaks of, and the editor marks. */
  subject = $derived(this.selection?.id ?? this.culprit ?? aboutOf(this.told));
  /** The segment at hand, where it is neither about a function nor about a tensor, and the reader chose nothing else. */
  event = $derived(this.told?.span && this.subject === null ? this.told : null);
  example = $derived(this.examples.find((each) => each.source === this.source) ?? null);

  private texts: Record<string, string> = {};
  private pendingStep: number | Moment | null = null;
  /** Whether the pass of the next run is to be played. */
  private playsNext = false;
  private readonly clock = createClock((elapsed) => this.tick(elapsed));
  private readonly queue = new RequestQueue({
    send: api.trace,
    answered: (trace, request) => this.accept(trace, request.source),
    failed: (problem) => this.fail(problem),
    busy: (running) => (this.running = running),
  });

  // -- the program ----------------------------------------------------------------------------------------------------

  /** Puts a run on screen that is already known. */
  show(trace: Trace, step: number | null = null): void {
    this.source = trace.source;
    this.edits = {};
    this.pendingStep = step;
    this.accept(trace, trace.source);
  }

  /** The reader edits the program. */
  edit(source: string): void {
    if (source === this.source) return;
    this.source = source;
    this.replaced = {};
    this.playsNext = false;
    this.queue.typed(this.request());
  }

  /** Another program takes the place of this one. */
  load(source: string, edits: Edits = {}, step: number | Moment | null = null): void {
    this.source = source;
    this.edits = edits;
    this.past.clear();
    this.replaced = {};
    this.texts = {};
    this.selection = null;
    this.pendingStep = step;
    this.pause();
    this.queue.now(this.request());
  }

  /** Runs the program as it stands. */
  retry(): void {
    this.problem = null;
    this.queue.now(this.request());
  }

  request(): TraceRequest {
    return requestFor(this.graph, this.source, this.edits);
  }

  private accept(trace: Trace, source: string): void {
    this.problem = null;
    this.ranSource = source;
    this.latest = trace;
    const kept = validEdits(this.edits, trace, this.texts);
    if (!trace.error && Object.keys(kept).length < Object.keys(this.edits).length) {
      this.edits = kept;
      this.queue.now(this.request());
      return;
    }
    if (isRefused(trace) && this.graph.tensors.length > 0) return;
    this.replace(trace);
  }

  private fail(problem: Problem): void {
    if (problem.kind !== 'refused' || Object.keys(this.edits).length === 0) {
      this.problem = problem;
      return;
    }
    // A gradient that was given for an earlier state of the program may make no sense for this one.
    this.edits = {};
    this.queue.now(this.request());
  }

  private replace(trace: Trace): void {
    const before = this.timeline;
    this.graph = trace;
    this.draft = null;
    const same = sameCourse(before, this.timeline);
    if (!same) this.selection = null;
    if (this.pendingStep !== null) this.time = timeAt(this.timeline, this.pendingStep, trace);
    else if (!same) this.time = opening(this.timeline, trace);
    this.resting.set(this.time);
    this.pendingStep = null;
    if (this.playsNext && !trace.error) {
      this.seekSegment(this.timeline.segments.findIndex(({ pass }) => pass === trace.passes.length - 1));
      this.play();
    }
    this.playsNext = false;
  }

  // -- the gradient ---------------------------------------------------------------------------------------------------

  /**
   * Gives pass `k` another gradient, as its argument in the program where the text can say so; while `live`, one undo takes
   * back the whole drag.
   */
  giveGradient(k: number, shape: number[], data: number[], live = false): void {
    if (!live) this.remember();
    const source = this.isGraphs ? withArgument(this.graph, k, { shape, data }) : null;
    if (source !== null) {
      this.edits = Object.fromEntries(Object.entries(this.edits).filter(([other]) => other !== String(k)));
      this.replaced = withReplaced(this.replaced, this.graph, k);
      this.draft = draftTrace(this.graph, k, data);
      this.write(source);
      return;
    }
    this.texts = { ...this.texts, [k]: this.texts[k] ?? argumentText(this.graph, k) };
    this.edits = { ...this.edits, [k]: { shape, data } };
    this.draft = draftTrace(this.graph, k, data);
    this.queue.live(this.request());
  }

  /** Whether the program is the one of the graph, but for what the grid has written. */
  private get isGraphs(): boolean {
    return this.source === this.graph.source || this.source === this.written;
  }

  private write(source: string): void {
    this.source = this.written = this.ranSource = source;
    this.queue.live(this.request());
  }

  /** The output that the error says has no gradient, as long as nobody changes the program. */
  get unweighted(): TensorRecord | null {
    return this.source === this.report.source || this.playsNext ? unweightedOutput(this.report) : null;
  }

  /** Writes the gradient that was missing into the program, and plays the pass. */
  giveMissingGradient(data: number[]): void {
    const { error, source } = this.report;
    const output = this.unweighted;
    if (!output || !error) return;
    const mended = withMissingArgument(source, error, { shape: output.shape, data }, output.dtype);
    if (!mended) return;
    if (!this.playsNext) this.remember();
    this.replaced = withMisshapen(this.replaced, this.report);
    this.source = this.written = mended;
    this.playsNext = true;
    this.queue.now(this.request());
  }

  beginDrag(): void {
    this.remember();
    this.held = this.maxima;
  }

  endDrag(): void {
    this.held = null;
  }

  /** Marks the state that `undo` goes back to. */
  private remember(): void {
    this.past.remember({ source: this.source, edits: this.edits, replaced: this.replaced });
  }

  undo(): void {
    const before = this.past.back();
    if (!before) return;
    this.edits = before.edits;
    this.replaced = before.replaced;
    this.write(before.source);
  }

  // -- the cursor -----------------------------------------------------------------------------------------------------

  /** The cursor as the URL has it: whole segments before it, and the part of its own. */
  get position(): number {
    return this.here ? this.here.segment.index + this.here.progress : 0;
  }

  /** To a time: moved or dragged there, or by a step to the rest of a beat. */
  seek(time: number, by: 'move' | 'drag' | 'step' = 'move'): void {
    this.time = Math.max(0, Math.min(this.timeline.duration, time));
    this.selection = null;
    this.pendingStep = null;
    this.resting[by](this.time);
  }

  /** To the resting place of the segment with this index. */
  seekSegment(index: number, by: 'drag' | 'step' = 'step'): void {
    const segment = this.timeline.segments[index];
    if (segment) this.seek(restTime(segment), by);
  }

  /** To the beat before or after. A key that is held steps faster than one reads. */
  step(direction: 1 | -1, isHeld = false): void {
    this.pause();
    this.seek(restBeside(this.timeline, this.time, direction), isHeld ? 'drag' : 'step');
  }

  toStart(): void {
    this.pause();
    this.seek(0);
    if (this.awaited) this.pendingStep = 0;
  }

  toEnd(): void {
    this.pause();
    this.seek(this.timeline.duration);
    if (this.awaited) this.pendingStep = Infinity;
  }

  /** Is another run on its way, whose ends are meant too? */
  private get awaited(): boolean {
    return this.running || this.source !== this.ranSource;
  }

  /** Is there a turn before (-1) or after (1) the one at hand that can be gone to? */
  hasTurn(direction: 1 | -1): boolean {
    return this.chapter !== null && turnBeside(this.chapters, this.chapter, direction) !== null;
  }

  previousTurn(): void {
    if (this.chapter) this.toChapter(turnBeside(this.chapters, this.chapter, -1));
  }

  nextTurn(): void {
    if (this.chapter) this.toChapter(turnBeside(this.chapters, this.chapter, 1));
  }

  /** To the same beat of the turn with this number, from 1, else of the nearest that was kept. */
  goToTurn(number: number, loop = this.turn?.loop ?? null): void {
    this.toChapter(turnNumbered(this.chapters, loop, number));
  }

  /** To the same beat of another turn. */
  toChapter(to: Chapter | null): void {
    const { chapter, here } = this;
    if (!to || !chapter || !here) return;
    this.pause();
    this.seek(sameBeat(this.trace, this.timeline, chapter, to, here));
  }

  /** To the beginning of the act before or after. */
  stepAct(direction: 1 | -1): void {
    const act = actBeside(this.acts, this.time, direction);
    if (act) this.toAct(act);
  }

  toAct(act: Act): void {
    this.pause();
    this.seek(act.start);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.timeline.segments.length === 0) return;
    if (this.ended) this.time = 0;
    this.resting.set(this.time);
    this.selection = null;
    this.pendingStep = null;
    this.playing = true;
    this.clock.start();
  }

  pause(): void {
    this.playing = false;
  }

  private tick(elapsed: number): boolean {
    if (!this.playing) return false;
    if (this.hovered) return true;
    this.time = Math.min(this.timeline.duration, this.time + elapsed * this.speed);
    this.resting.set(this.time);
    if (this.time >= this.timeline.duration) this.playing = false;
    return this.playing;
  }

  /** To where a tensor or a function appears, and chooses it. */
  goTo({ kind, id }: RecordRef): void {
    this.pause();
    const made = this.timeline.segments.find(({ node, tensor }) => (kind === 'node' ? node : tensor) === id);
    if (made) this.seek(restTime(made));
    this.select({ kind, id, sought: true });
  }

  /** Chooses what the inspector speaks of; null gives it back to the segment at hand. */
  select(chosen: RecordRef | null): void {
    this.selection = chosen;
  }
}

export const session = new Session();

import * as api from '../api/client';
import type { Trace } from '../api/types';
import { parseCell } from '../lib/gradient/gradient_edit';
import { HINTS, ingredients } from '../lib/predict/hints';
import { maskedTrace } from '../lib/predict/mask';
import { harmlessPrints, NO_PRINTS, otherGradients, printsAfter, withPrints } from '../lib/predict/prints';
import { mistakesFor, type Evidence, type Mistake } from '../lib/predict/mistakes';
import { askable, isRight, questionOf, roundOf, type Question } from '../lib/predict/question';
import { lightsOf } from '../lib/touch/lights';
import { connected, LocalMaps } from '../lib/touch/local_maps';
import { pick, type Picked } from '../lib/touch/pick';
import { Lookup } from '../lib/trace/lookup';
import { lights } from './lights.svelte';
import { session } from './session.svelte';

/** What was found of a cell when it was checked last. */
export interface Verdict {
  typed: string;
  right: boolean;
  /** Null of what is no number. */
  mistakes: Mistake[] | null;
}

interface Round {
  questions: Question[];
  at: number;
  /** Which were right at the first try. */
  first: boolean[];
}

const ROUND = 5;

/** A gradient that the reader works out. While a question is open, the page's trace does not have the answer. */
export class Predict {
  question = $state.raw<Question | null>(null);
  typed = $state.raw<Record<number, string>>({});
  verdicts = $state.raw<Record<number, Verdict>>({});
  /** How far the hints have gone, by cell. */
  hints = $state.raw<Record<number, number>>({});
  /** The cell at hand. */
  cell = $state(0);
  shown = $state(false);
  round = $state.raw<Round | null>(null);
  private told = $state.raw<Trace | null>(null);
  private leave = new AbortController();
  private time = 0;

  /** The whole run, which nothing but the questions reads. */
  private lookup = $derived(new Lookup(session.unmasked));
  readonly full = $derived(this.lookup);
  readonly all = $derived(session.unmasked.passes.length > 0 ? askable(this.lookup, this.passIndex) : []);
  readonly done = $derived(
    this.question !== null && this.question.cells.every((k) => this.verdicts[k]?.right),
  );
  readonly right = $derived(this.question?.cells.filter((k) => this.verdicts[k]?.right).length ?? 0);
  private maps = $derived.by(() => {
    const { unmasked } = session;
    const jacobians = this.told?.nodes.length === unmasked.nodes.length ? this.told.local_jacobians : {};
    return new LocalMaps({ ...unmasked, local_jacobians: jacobians });
  });
  readonly isTold = $derived(this.told !== null);

  private get passIndex(): number {
    return this.question?.pass ?? session.passIndex ?? 0;
  }

  /** Asks for the gradient at hand, else for the last that the pass fills. */
  start(): void {
    const chosen = this.all.find(({ tensor }) => tensor === session.selection?.id);
    const question = chosen ?? this.all[0];
    this.round = null;
    if (question) this.ask(question);
  }

  ask(question: Question): void {
    if (!this.question) this.time = session.time;
    session.pause();
    session.select(null);
    session.view = 'graph';
    this.question = question;
    this.typed = {};
    this.verdicts = {};
    this.hints = {};
    this.shown = false;
    this.cell = question.cells[0] ?? 0;
    this.hide(question, NO_PRINTS);
    session.seek(Infinity);
    this.light();
    void this.fetch(question);
  }

  /** Puts the mask on; of what is printed after the pass these do not tell the answer. */
  private hide({ pass, tensor }: Question, harmless: ReadonlySet<number>): void {
    const known = new WeakMap<Trace, Trace>();
    const asked = { pass, tensor };
    session.mask = (trace) => {
      const masked = known.get(trace) ?? withPrints(maskedTrace(trace, asked), trace, asked, harmless);
      known.set(trace, masked);
      return masked;
    };
  }

  /** Finds, by runs with other gradients, what is printed whatever the answer is. */
  private async compare(question: Question, signal: AbortSignal): Promise<void> {
    const trace = session.unmasked;
    if (printsAfter(trace, question).length === 0) return;
    const request = session.request();
    const number = trace.passes[question.pass]!.id.slice(1);
    const runs = otherGradients(trace, question).map((given) =>
      api.trace({ ...request, gradients: { ...request.gradients, [number]: given } }, signal),
    );
    const others = await Promise.all(runs).catch(() => []);
    if (signal.aborted || this.question !== question || this.done || session.unmasked !== trace) return;
    const harmless = harmlessPrints(trace, question, others);
    if (harmless.size > 0) this.hide(question, harmless);
  }

  /** The coefficients behind the answer: hints and mistakes are read from them. */
  private async fetch(question: Question): Promise<void> {
    this.leave.abort();
    const { signal } = (this.leave = new AbortController());
    void this.compare(question, signal);
    const functions = connected(session.unmasked, question.tensor);
    this.told = null;
    try {
      const told = await api.trace({ ...session.request(), local_jacobians: functions }, signal);
      if (!signal.aborted) this.told = told;
    } catch {
      if (!signal.aborted) this.told = session.unmasked;
    }
  }

  stop(): void {
    this.leave.abort();
    this.question = null;
    this.round = null;
    session.mask = (trace) => trace;
    session.seek(this.time);
    lights.clear();
  }

  /** The program or its gradients have changed: the answer may be another, or gone. */
  follow(): void {
    const { question } = this;
    if (!question) return;
    const now = questionOf(session.unmasked, question, question.cells);
    if (!now || now.shape.join() !== question.shape.join()) {
      this.stop();
      return;
    }
    if (now.answers.every((x, k) => Object.is(x, question.answers[k]))) return;
    this.question = now;
    this.verdicts = {};
    this.hide(now, NO_PRINTS);
    void this.fetch(now);
  }

  type(k: number, text: string): void {
    this.typed = { ...this.typed, [k]: text };
    this.light();
  }

  focus(k: number): void {
    this.cell = k;
    this.light();
  }

  picked(k: number): Picked {
    const { tensor, of, pass } = this.question!;
    return pick(this.lookup, this.maps, session.unmasked.passes[pass] ?? null, { tensor, of, k });
  }

  /** Checks every cell that has been filled. */
  check(): void {
    const { question } = this;
    if (!question) return;
    const evidence: Evidence = {
      lookup: this.lookup,
      maps: this.maps,
      question,
      picked: (k) => this.picked(k),
    };
    const found = { ...this.verdicts };
    for (const k of question.cells) {
      const typed = (this.typed[k] ?? '').trim();
      if (typed === '' || found[k]?.typed === typed) continue;
      const number = parseCell(typed);
      const right = number !== null && isRight(number, question.answers[k]!);
      const mistakes = number === null ? null : mistakesFor(evidence, k, number);
      found[k] = { typed, right, mistakes };
      this.note(right);
    }
    this.verdicts = found;
    const next = question.cells.find((k) => !found[k]?.right);
    if (next !== undefined) this.cell = next;
    this.finish();
  }

  /** In a round, whether a question was right at the first try. */
  private note(right: boolean): void {
    const { round } = this;
    if (!round || round.first[round.at] !== undefined) return;
    this.round = { ...round, first: [...round.first, right] };
  }

  private finish(): void {
    if (this.done) {
      session.mask = (trace) => trace;
      session.seek(Infinity);
      lights.clear();
    } else this.light();
  }

  /** The next hint for the cell at hand; the last is the answer. */
  hint(): void {
    const k = this.cell;
    const level = Math.min(HINTS, (this.hints[k] ?? 0) + 1);
    this.hints = { ...this.hints, [k]: level };
    this.note(false);
    this.light();
  }

  /** Fills in every answer. */
  show(): void {
    const { question } = this;
    if (!question) return;
    this.shown = true;
    this.note(false);
    const typed = Object.fromEntries(question.cells.map((k) => [k, String(question.answers[k])]));
    this.typed = typed;
    this.verdicts = Object.fromEntries(
      question.cells.map((k) => [k, { typed: typed[k]!, right: true, mistakes: [] }]),
    );
    this.finish();
  }

  startRound(): void {
    const questions = roundOf(this.lookup, ROUND);
    if (questions.length === 0) return;
    this.round = { questions, at: 0, first: [] };
    this.ask(questions[0]!);
  }

  next(): void {
    const { round } = this;
    const following = round?.questions[round.at + 1];
    if (!round || !following) return;
    this.round = { ...round, at: round.at + 1 };
    this.ask(following);
  }

  /** Rings the cells that the hints have named, and shows in the picture what has been typed. */
  private light(): void {
    const { question } = this;
    if (!question || this.done) return;
    const { tensor, of } = question;
    const named = this.hints[this.cell] ? ingredients(this.picked(this.cell)) : [];
    const asked = question.cells.map((k) => {
      const verdict = this.verdicts[k];
      const sign = !verdict || verdict.typed !== this.typed[k] ? '' : verdict.right ? ' ✓' : ' ≠';
      const role = k === this.cell ? ('picked' as const) : ('near' as const);
      return { tensor, of, k, role, label: `${this.typed[k] ?? ''}${sign}` || '?' };
    });
    lights.now = lightsOf([
      ...named.map((cell) => ({ ...cell, role: 'near' as const, label: '' })),
      ...asked,
    ]);
  }
}

export const predict = new Predict();

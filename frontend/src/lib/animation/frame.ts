import type { Pass, Trace, Value } from '../../api/types';
import { groupBy } from '../group_by';
import { gradientOf, ruleOf, tensorNamed } from '../trace/rules';
import { between, ease } from './easing';
import type { Beads, Bucket, CardState, ChipState, EdgeState, PillState, Seed } from './element_states';
import {
  arrivingGradients,
  edgesOf,
  keyframesOf,
  largestNorm,
  lineWidth,
  waitingAndSeeds,
  type Keyframes,
} from './keyframes';
import type { Delivery, Segment, Timeline } from './segments';
import { besideInPass, isFlight, MID_FLIGHT, segmentAt, toldAt } from './timeline';

/** What every element looks like at one time. States that did not change are the same objects as in other frames. */
export interface AnimationFrame {
  segment: Segment | null;
  progress: number;
  cards: Map<string, CardState>;
  pills: Map<string, PillState>;
  edges: Map<string, EdgeState>;
  chips: ChipState[];
  seeds: readonly Seed[];
  /** The element that the view follows. */
  focus: string | null;
}

/** The elements as they are when a segment begins; drawn over by what the segment moves. */
interface Base {
  cards: Map<string, CardState>;
  pills: Map<string, PillState>;
  edges: Map<string, EdgeState>;
  waiting: readonly Delivery[];
  seeds: readonly Seed[];
}

type Draft = Base & { chips: ChipState[] };

interface Moment {
  keyframes: Keyframes;
  segment: Segment;
  pass: Pass | null;
  /** Time within the segment, 0..1, before easing. */
  t: number;
  base: Base;
}

const dimmed = new WeakMap<object, EdgeState | PillState>();

/** The dimmed twin of a state: always the same object, so that nothing is redrawn for it. */
function dim<State extends EdgeState | PillState>(state: State): State {
  if (state.dim) return state;
  const twin = dimmed.get(state) ?? { ...state, dim: true };
  dimmed.set(state, twin);
  return twin as State;
}

function involved(keyframes: Keyframes, segment: Segment): Set<string> {
  const ids = new Set<string>();
  if (segment.node) ids.add(segment.node);
  for (const { edge } of arrivingGradients(keyframes, segment)) ids.add(edge.id);
  if (segment.kind === 'rule' && segment.node)
    for (const edge of keyframes.inputEdges.get(segment.node) ?? []) ids.add(edge.id);
  for (const delivery of segment.deliveries) ids.add(delivery.edge);
  return ids;
}

/** The elements that a picture shows; the states of others are not looked up. */
export interface Shown {
  tensors: readonly string[];
  nodes: readonly string[];
  edges: readonly string[];
}

function baseAt(keyframes: Keyframes, index: number, { tensors, nodes, edges }: Shown): Base {
  const segment = keyframes.timeline.segments[index];
  const part = segment && segment.pass !== null ? involved(keyframes, segment) : null;
  const fade = <State extends EdgeState | PillState>(id: string, state: State) =>
    part && !part.has(id) ? dim(state) : state;
  return {
    cards: new Map(tensors.map((id) => [id, keyframes.cards.at(id, index)])),
    pills: new Map(nodes.map((id) => [id, fade(id, keyframes.pills.at(id, index))])),
    edges: new Map(edges.map((id) => [id, fade(id, keyframes.wires.at(id, index))])),
    ...waitingAndSeeds(keyframes, index),
  };
}

function patch<State>(map: Map<string, State>, id: string, change: Partial<State>): void {
  const state = map.get(id);
  if (state) map.set(id, { ...state, ...change });
}

function drawForward(draft: Draft, { keyframes, segment, t }: Moment): void {
  patch(draft.cards, segment.tensor ?? '', { value: ease.arrive(between(t, segment.node ? 0.5 : 0.1, 1)) });
  if (!segment.node) return;
  const halo = between(t, 0.2, 0.5);
  patch(draft.pills, segment.node, { phase: 'active', direction: 'forward', halo, dim: false });
  for (const edge of edgesOf(keyframes, segment.node)) {
    const into = edge.input !== null;
    const forward = ease.arrive(into ? between(t, 0, 0.5) : between(t, 0.4, 0.8));
    patch(draft.edges, edge.id, { future: false, dim: false, forward });
  }
}

function drawArrive(draft: Draft, { keyframes, segment, pass, t }: Moment): void {
  const largest = pass ? largestNorm(pass) : 0;
  for (const { edge, value } of arrivingGradients(keyframes, segment))
    patch(draft.edges, edge.id, { fill: ease.arrive(t), width: lineWidth(value, largest) });
  const halo = between(t, 0.8, 1) * 0.4;
  patch(draft.pills, segment.node ?? '', { phase: 'active', direction: 'backward', halo, dim: false });
}

function activate(draft: Draft, segment: Segment, halo: number): void {
  patch(draft.pills, segment.node ?? '', { phase: 'active', direction: 'backward', halo, dim: false });
}

function ring(draft: Draft, tensors: Iterable<string | null>): void {
  for (const id of tensors) if (id) patch(draft.cards, id, { ring: true });
}

function drawRule(draft: Draft, { keyframes, segment, t }: Moment): void {
  activate(draft, segment, 0.4 + 0.6 * ease.rule(between(t, 0, 1 / 3)));
  if (t >= 1 / 3)
    ring(draft, keyframes.nodeById.get(segment.node ?? '')?.saved.map((each) => each.tensor) ?? []);
}

/** The tensors whose values the rule of a grad_input reads. */
function operands({ trace, nodeById, inputEdges }: Keyframes, segment: Segment, delivery: Delivery) {
  const node = nodeById.get(segment.node ?? '');
  const rule = node ? ruleOf(trace, node) : null;
  if (!node || !rule) return [];
  const edge = inputEdges.get(node.id)?.find(({ id }) => id === delivery.edge) ?? null;
  return gradientOf(rule, edge).tokens.map((token) =>
    token.kind === 'operand' && token.role === 'value' ? tensorNamed(rule, node, token) : null,
  );
}

function chipOf(delivery: Delivery, motion: Pick<ChipState, 'at' | 'opacity' | 'sink'>): ChipState {
  const { edge, tensor, gradInput, slot, of } = delivery;
  return { key: edge, edge, tensor, value: gradInput.value, slot, of, ...motion };
}

/** The chips that stand at the tensors, side by side where they are to be added up. */
function standingChips(waiting: readonly Delivery[]): ChipState[] {
  return waiting.map((each) => chipOf(each, { at: 1, opacity: 1, sink: 0 }));
}

function fading(value: Value | null, before: Value | null, mix: number): Beads {
  return { value, before, mix, unknown: false };
}

function drawSend(draft: Draft, moment: Moment): void {
  const { segment, pass, t } = moment;
  activate(draft, segment, 1);
  const largest = pass ? largestNorm(pass) : 0;
  const at = ease.send(t);
  for (const delivery of segment.deliveries) {
    const { edge, tensor, gradInput } = delivery;
    patch(draft.edges, edge, { fill: at, width: lineWidth(gradInput.value, largest), trail: true });
    ring(draft, operands(moment.keyframes, segment, delivery));
    const lands = delivery.landing === 'gradient' && !isSummed(moment, delivery);
    const arrived = lands ? between(t, 0.85, 1) : 0;
    const opacity = Math.min(between(t, 0, 0.08), 1 - arrived);
    draft.chips.push(chipOf(delivery, { at, opacity, sink: arrived }));
    if (arrived > 0)
      patch(draft.cards, tensor, {
        gradient: fading(pass?.gradients[tensor] ?? gradInput.value, null, arrived),
      });
  }
}

/** Does an add segment follow for this grad_input? */
function isSummed({ keyframes, segment }: Moment, delivery: Delivery): boolean {
  const next = besideInPass(keyframes.timeline, segment, 1);
  return next?.kind === 'add' && next.deliveries.some((each) => each.edge === delivery.edge);
}

function drawAdd(draft: Draft, moment: Moment): void {
  const { segment, pass, t } = moment;
  activate(draft, segment, 1);
  const sink = ease.sink(between(t, 0, 3 / 7));
  const mix = ease.settle(between(t, 3 / 7, 1));
  const added = new Set(segment.deliveries.map((each) => each.tensor));
  if (segment.tensor) added.add(segment.tensor);
  draft.chips = draft.chips.map((chip) =>
    added.has(chip.tensor) ? { ...chip, sink, opacity: 1 - between(t, 2 / 7, 3 / 7) } : chip,
  );
  for (const tensor of added) mixIn(draft, pass, tensor, mix);
}

/** The beads of a tensor change from before to after. */
function mixIn(draft: Draft, pass: Pass | null, tensor: string, mix: number): void {
  const card = draft.cards.get(tensor);
  if (!card) return;
  const sum = pass?.accumulations.find((each) => each.tensor === tensor);
  if (sum) {
    const beads = fading(sum.after, card.bucket.value, mix);
    const summands = card.bucket.summands + (mix >= 0.5 ? 1 : 0);
    const state = mix > 0 ? 'full' : card.bucket.state;
    patch(draft.cards, tensor, { bucket: { ...card.bucket, ...beads, state, summands } });
    return;
  }
  const after = pass?.gradients[tensor];
  if (after) patch(draft.cards, tensor, { gradient: fading(after, card.gradient.value, mix) });
}

/** Values give way to those of the next version, and buckets empty. */
function drawChange(draft: Draft, { keyframes, segment, t }: Moment): void {
  const mix = ease.settle(between(t, 0.2, 0.9));
  for (const [id, card] of draft.cards) {
    const next = keyframes.cards.at(id, segment.index + 1);
    if (next.content !== card.content)
      patch(draft.cards, id, { content: { ...next.content, before: card.content.value, mix }, ring: true });
    if (next.bucket !== card.bucket)
      patch(draft.cards, id, { bucket: changedBucket(card.bucket, next.bucket, mix) });
  }
}

function changedBucket(before: Bucket, after: Bucket, mix: number): Bucket {
  return { ...(mix < 0.5 ? before : after), ...fading(after.value, before.value, mix) };
}

/** What is printed changes no element. */
function drawNothing(): void {}

const DRAW = {
  forward: drawForward,
  arrive: drawArrive,
  rule: drawRule,
  send: drawSend,
  add: drawAdd,
  write: drawChange,
  zero: drawChange,
  step: drawChange,
  print: drawNothing,
  hook: drawNothing,
  mark: drawNothing,
} as const;

/** Buckets that grad_inputs wait at are marked, so that an empty one is not taken for finished. */
function markWaiting(draft: Draft): void {
  for (const [tensor, waiting] of groupBy(draft.waiting, (each) => each.tensor)) {
    const bucket = draft.cards.get(tensor)?.bucket;
    if (bucket?.state !== 'none') continue;
    const received = waiting.map(({ gradInput }) => gradInput.value);
    const expected = waiting[0]?.of ?? 0;
    patch(draft.cards, tensor, { bucket: { ...bucket, state: 'waiting', received, expected } });
  }
}

function restingFrame(base: Base): AnimationFrame {
  return { segment: null, progress: 1, ...base, chips: [], focus: null };
}

/** The element that a segment is about; a print leaves the view where it was. */
function focusOf(keyframes: Keyframes, segment: Segment, shown: Shown): string | null {
  const { index, kind, pass, node, tensor } = toldAt(keyframes.timeline, segment);
  if (kind === 'forward' || kind === 'add') return tensor;
  if (pass !== null) return node;
  const written = writtenIn(keyframes.timeline, index);
  return tensor ?? shown.tensors.find((id) => changesAt(keyframes, id, written)) ?? null;
}

/** The segment in which an update is written, of which a segment plays a beat; of others their own. */
function writtenIn({ segments }: Timeline, index: number): number {
  const { beat, event } = segments[index]!;
  let last = index;
  while (beat && segments[last + 1]?.beat && segments[last + 1]!.event === event) last += 1;
  return last;
}

function changesAt({ cards }: Keyframes, id: string, index: number): boolean {
  const [before, after] = [cards.at(id, index), cards.at(id, index + 1)];
  return before.content !== after.content || before.bucket !== after.bucket;
}

/** A reader who asked for less motion sees each segment at its end, and the chip in the middle of its way. */
function stilled(segment: Segment): number {
  return isFlight(segment) ? MID_FLIGHT : 1;
}

/** Frames of a trace by time. The result depends on the time alone, whatever was asked before. */
export class Animation {
  readonly keyframes: Keyframes;
  private cached: { index: number; shown: Shown; base: Base } | null = null;
  /** All elements of the run. */
  readonly all: Shown;

  constructor(trace: Trace, timeline: Timeline) {
    this.keyframes = keyframesOf(trace, timeline);
    const { tensors, nodes, edges } = this.keyframes;
    const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);
    this.all = { tensors: ids(tensors), nodes: ids(nodes), edges: ids(edges) };
  }

  private base(index: number, shown: Shown): Base {
    if (this.cached?.index !== index || this.cached.shown !== shown)
      this.cached = { index, shown, base: baseAt(this.keyframes, index, shown) };
    return this.cached.base;
  }

  /** The elements `shown` at `time`; with `still`, without motion inside a segment. */
  at(time: number, still = false, shown: Shown = this.all): AnimationFrame {
    const { keyframes } = this;
    const { timeline } = keyframes;
    const found = segmentAt(timeline, time);
    if (!found || time >= timeline.duration) return restingFrame(this.base(timeline.segments.length, shown));
    const { segment, progress } = found;
    const t = still ? stilled(segment) : progress;
    const base = this.base(segment.index, shown);
    const draft: Draft = {
      ...base,
      cards: new Map(base.cards),
      pills: new Map(base.pills),
      edges: new Map(base.edges),
      chips: standingChips(base.waiting),
    };
    const pass = keyframes.trace.passes[segment.pass ?? -1] ?? null;
    DRAW[segment.kind](draft, { keyframes, segment, pass, t, base });
    markWaiting(draft);
    const { cards, pills, edges, chips, seeds } = draft;
    return {
      segment,
      progress: t,
      cards,
      pills,
      edges,
      chips,
      seeds,
      focus: focusOf(keyframes, segment, shown),
    };
  }
}

import type { Edge, NodeRecord, Pass, Root, TensorRecord, Trace, Value } from '../../api/types';
import { groupBy } from '../group_by';
import { isUnweighted, unweightedBy, visiblePart } from '../trace/visibility';
import { norm, toNumber } from '../trace/values';
import { changesOf } from './changes';
import {
  FUTURE_CARD,
  FUTURE_EDGE,
  FUTURE_PILL,
  NO_BEADS,
  NO_BUCKET,
  restingBeads,
  StateHistory,
  UNKNOWN_BEADS,
  type Bucket,
  type CardState,
  type EdgeState,
  type PillState,
  type Seed,
} from './element_states';
import { accumulationsOf } from './pass_segments';
import type { Delivery, Segment, Timeline } from './segments';
import { besideInPass } from './timeline';

const ALL = '*';

/** Everything that a frame is read from: the trace by id, and what each element looks like from segment to segment. */
export interface Keyframes {
  trace: Trace;
  timeline: Timeline;
  tensors: TensorRecord[];
  nodes: NodeRecord[];
  edges: Edge[];
  nodeById: Map<string, NodeRecord>;
  inputEdges: Map<string, Edge[]>;
  outputEdges: Map<string, Edge[]>;
  /** The tensors that each pass made, being recorded itself. */
  madeIn: Map<string | null, TensorRecord[]>;
  cards: StateHistory<CardState>;
  pills: StateHistory<PillState>;
  wires: StateHistory<EdgeState>;
  waiting: StateHistory<readonly Delivery[]>;
  seeds: StateHistory<readonly Seed[]>;
  /** What the pass at hand has changed, and the next one begins anew. */
  lit: { cards: Set<string>; pills: Set<string>; wires: Set<string> };
}

function emptyKeyframes(trace: Trace, timeline: Timeline): Keyframes {
  const { tensors, nodes } = visiblePart(trace);
  const shown = new Set([...tensors, ...nodes].map((each) => each.id));
  const edges = trace.edges.filter((edge) => shown.has(edge.source) && shown.has(edge.target));
  return {
    trace,
    timeline,
    tensors,
    nodes,
    edges,
    nodeById: new Map(trace.nodes.map((node) => [node.id, node])),
    inputEdges: groupBy(edges, (edge) => edge.target),
    outputEdges: groupBy(edges, (edge) => edge.source),
    madeIn: groupBy(
      tensors.filter((tensor) => tensor.pass_id !== null),
      (tensor) => tensor.pass_id,
    ),
    cards: new StateHistory(FUTURE_CARD),
    pills: new StateHistory(FUTURE_PILL),
    wires: new StateHistory(FUTURE_EDGE),
    waiting: new StateHistory<readonly Delivery[]>([]),
    seeds: new StateHistory<readonly Seed[]>([]),
    lit: { cards: new Set(), pills: new Set(), wires: new Set() },
  };
}

const largestNorms = new WeakMap<Pass, number>();

/** The largest norm of anything that moves in a pass: its line is the widest. */
export function largestNorm(pass: Pass): number {
  const known = largestNorms.get(pass) ?? computeLargestNorm(pass);
  largestNorms.set(pass, known);
  return known;
}

function computeLargestNorm(pass: Pass): number {
  const moving = pass.steps.flatMap((step) => [
    ...step.grad_outputs.filter((value) => value !== null),
    ...step.grad_inputs.map((gradInput) => gradInput.value),
  ]);
  return moving.reduce((largest, value) => Math.max(largest, norm(value)), 0);
}

/** `1.5 + 4.5 √(norm / largest norm of the pass)` */
export function lineWidth(value: Value, largest: number): number {
  return 1.5 + 4.5 * Math.sqrt(largest > 0 ? norm(value) / largest : 0);
}

function seedOf(root: Root, pass: Pass): Seed {
  const { gradient, tensor } = root;
  const ones = gradient.data?.every((element) => toNumber(element) === 1) ?? false;
  const implicit = root.argument === null && pass.gradient_span === null && gradient.shape.length === 0;
  return { tensor, gradient, given: implicit ? 'implicit' : ones ? 'ones' : 'given' };
}

/** A tensor appears, and with it the function that made it and the wires between. */
function appear(keyframes: Keyframes, tensor: TensorRecord, from: number): void {
  const asked = isUnweighted(keyframes.trace.error, tensor.id);
  keyframes.cards.update(tensor.id, from, { value: 1, ...(asked ? { gradient: UNKNOWN_BEADS } : {}) });
  if (!tensor.node) return;
  keyframes.pills.update(tensor.node, from, { phase: 'idle', dim: false });
  for (const edge of edgesOf(keyframes, tensor.node))
    keyframes.wires.update(edge.id, from, { future: false, dim: false });
}

/** All edges of a function. */
export function edgesOf(keyframes: Keyframes, node: string): Edge[] {
  return [...(keyframes.inputEdges.get(node) ?? []), ...(keyframes.outputEdges.get(node) ?? [])];
}

function bucketBefore(latest: Bucket, before: Value | null): Bucket {
  if (!before) return NO_BUCKET;
  const summands = norm(before) === 0 ? 0 : Math.max(1, latest.summands);
  return { ...NO_BUCKET, ...restingBeads(before), state: 'full', summands };
}

/** A pass begins: the gradients of the pass before it are gone, buckets hold what they held. */
function beginPass(keyframes: Keyframes, pass: Pass, from: number): void {
  const { cards, pills, wires, lit } = keyframes;
  for (const id of lit.cards) cards.update(id, from, { gradient: NO_BEADS });
  for (const { tensor, before } of pass.accumulations) {
    const { bucket } = cards.latest(tensor);
    cards.update(tensor, from, { bucket: bucketBefore(bucket, before) });
  }
  for (const id of lit.pills)
    if (pills.latest(id).phase === 'done') pills.update(id, from, { phase: 'idle' });
  for (const id of lit.wires) if (wires.latest(id).fill > 0) wires.update(id, from, { fill: 0 });
  for (const each of Object.values(lit)) each.clear();
  keyframes.waiting.set(ALL, from, []);
  plantSeeds(keyframes, pass, from);
}

function plantSeeds(keyframes: Keyframes, pass: Pass, from: number): void {
  const sums = accumulationsOf(pass);
  keyframes.seeds.set(
    ALL,
    from,
    pass.roots.map((root) => seedOf(root, pass)),
  );
  for (const root of pass.roots)
    if (!sums.has(root.tensor)) fill(keyframes, root.tensor, from, root.gradient);
}

/** What a pass with `create_graph` made is there once it has run. */
function endPass(keyframes: Keyframes, pass: Pass, from: number): void {
  for (const tensor of keyframes.madeIn.get(pass.id) ?? []) appear(keyframes, tensor, from);
}

function addIntoBucket(keyframes: Keyframes, pass: Pass, tensor: string, from: number, shares = 1): void {
  const sum = pass.accumulations.find((each) => each.tensor === tensor);
  if (!sum) return;
  const { summands } = keyframes.cards.latest(tensor).bucket;
  const bucket: Bucket = {
    ...NO_BUCKET,
    ...restingBeads(sum.after),
    state: 'full',
    summands: summands + shares,
  };
  keyframes.cards.update(tensor, from, { bucket });
}

/** A tensor has its gradient. */
function fill({ cards, lit }: Keyframes, tensor: string, from: number, gradient: Value): void {
  cards.update(tensor, from, { gradient: restingBeads(gradient) });
  lit.cards.add(tensor);
}

function land(keyframes: Keyframes, pass: Pass, { tensor, gradInput }: Delivery, from: number): void {
  fill(keyframes, tensor, from, pass.gradients[tensor] ?? gradInput.value);
}

/** A gradient has gone along an edge. */
function lead({ wires, lit }: Keyframes, edge: string, from: number, value: Value, largest: number): void {
  wires.update(edge, from, { fill: 1, width: lineWidth(value, largest) });
  lit.wires.add(edge);
}

function stopWaiting(keyframes: Keyframes, tensors: Set<string>, from: number): void {
  const left = keyframes.waiting.latest(ALL).filter((each) => !tensors.has(each.tensor));
  keyframes.waiting.set(ALL, from, left);
}

function afterSend(keyframes: Keyframes, pass: Pass, segment: Segment): void {
  const from = segment.index + 1;
  const next = besideInPass(keyframes.timeline, segment, 1);
  const added = new Set(
    next?.kind === 'add' && next.step === segment.step ? next.deliveries.map((each) => each.tensor) : [],
  );
  const largest = largestNorm(pass);
  for (const delivery of segment.deliveries) {
    const { edge, tensor, gradInput } = delivery;
    lead(keyframes, edge, from, gradInput.value, largest);
    if (delivery.landing === 'wait' || added.has(tensor)) {
      keyframes.waiting.set(ALL, from, [...keyframes.waiting.latest(ALL), delivery]);
    } else land(keyframes, pass, delivery, from);
  }
}

function afterAdd(keyframes: Keyframes, pass: Pass, segment: Segment): void {
  const from = segment.index + 1;
  const tensors = new Set(segment.deliveries.map((each) => each.tensor));
  const sharesOf = (tensor: string) => segment.deliveries.filter((each) => each.tensor === tensor).length;
  for (const delivery of segment.deliveries) {
    const { tensor, landing } = delivery;
    if (landing === 'bucket') addIntoBucket(keyframes, pass, tensor, from, sharesOf(tensor));
    else if (landing === 'gradient') land(keyframes, pass, delivery, from);
  }
  if (segment.step === null && segment.tensor) addIntoBucket(keyframes, pass, segment.tensor, from);
  stopWaiting(keyframes, tensors, from);
}

function afterArrive(keyframes: Keyframes, pass: Pass, segment: Segment): void {
  const largest = largestNorm(pass);
  for (const { edge, value } of arrivingGradients(keyframes, segment))
    lead(keyframes, edge.id, segment.index + 1, value, largest);
}

/** The edges on which gradients arrive at the function of a step. */
export function arrivingGradients(keyframes: Keyframes, segment: Segment): { edge: Edge; value: Value }[] {
  const step = keyframes.trace.passes[segment.pass ?? -1]?.steps[segment.step ?? -1];
  const node = keyframes.nodeById.get(segment.node ?? '');
  const edges = keyframes.outputEdges.get(segment.node ?? '') ?? [];
  return edges.flatMap((edge) => {
    const value = step?.grad_outputs[node?.outputs.indexOf(edge.tensor) ?? -1];
    return value ? [{ edge, value }] : [];
  });
}

function afterStep(keyframes: Keyframes, pass: Pass, segment: Segment): void {
  const next = besideInPass(keyframes.timeline, segment, 1);
  if (!segment.node || next?.step === segment.step) return;
  const freed = pass.steps[segment.step ?? -1]?.freed ?? [];
  const all = [...new Set([...keyframes.pills.latest(segment.node).freed, ...freed])];
  keyframes.lit.pills.add(segment.node);
  keyframes.pills.update(segment.node, segment.index + 1, {
    phase: 'done',
    direction: 'backward',
    dim: false,
    freed: all,
  });
}

function playForward(keyframes: Keyframes, segment: Segment, tensors: Map<string, TensorRecord>): void {
  const tensor = tensors.get(segment.tensor ?? '');
  if (tensor) appear(keyframes, tensor, segment.index + 1);
}

function playBackward(keyframes: Keyframes, segment: Segment): void {
  const pass = keyframes.trace.passes[segment.pass ?? -1];
  if (!pass) return;
  if (!besideInPass(keyframes.timeline, segment, -1)) beginPass(keyframes, pass, segment.index);
  if (segment.kind === 'arrive') afterArrive(keyframes, pass, segment);
  if (segment.kind === 'send') afterSend(keyframes, pass, segment);
  if (segment.kind === 'add') afterAdd(keyframes, pass, segment);
  afterStep(keyframes, pass, segment);
  if (!besideInPass(keyframes.timeline, segment, 1)) endPass(keyframes, pass, segment.index + 1);
}

function missingSeed(keyframes: Keyframes): void {
  const { error } = keyframes.trace;
  const why = unweightedBy(error);
  if (!error?.tensor || !why) return;
  const seed: Seed = {
    tensor: error.tensor,
    gradient: null,
    given: why === 'none' ? 'missing' : 'misshapen',
  };
  keyframes.seeds.set(ALL, keyframes.timeline.segments.length, [seed]);
}

/** Changes values and buckets as events go by, also those of events that have no segment. */
function changePlayer(keyframes: Keyframes): (until: number, from: number) => void {
  const changes = changesOf(keyframes.trace, keyframes.tensors);
  let next = 0;
  return (until, from) => {
    for (; next < changes.length && changes[next]!.event < until; next += 1)
      keyframes.cards.update(changes[next]!.tensor, from, changes[next]!.state);
  };
}

const built = new WeakMap<Timeline, Keyframes>();

/** The keyframes of a run, which all that shows it have in common. */
export function keyframesOf(trace: Trace, timeline: Timeline): Keyframes {
  const before = built.get(timeline);
  if (before?.trace === trace) return before;
  const keyframes = buildKeyframes(trace, timeline);
  built.set(timeline, keyframes);
  return keyframes;
}

/** Plays the whole timeline once, so that any frame can be looked up. */
function buildKeyframes(trace: Trace, timeline: Timeline): Keyframes {
  const keyframes = emptyKeyframes(trace, timeline);
  const tensors = new Map(keyframes.tensors.map((tensor) => [tensor.id, tensor]));
  const playChanges = changePlayer(keyframes);
  for (const segment of timeline.segments) {
    playChanges(segment.event, segment.index);
    if (segment.kind === 'forward') playForward(keyframes, segment, tensors);
    else if (segment.pass !== null) playBackward(keyframes, segment);
    else if (segment.beat === null || segment.beat === 'write') playChanges(segment.until, segment.index + 1);
  }
  playChanges(Infinity, timeline.segments.length);
  missingSeed(keyframes);
  return keyframes;
}

/** The gradients that stand and wait, and the roots, when a segment begins. */
export function waitingAndSeeds(
  keyframes: Keyframes,
  segment: number,
): { waiting: readonly Delivery[]; seeds: readonly Seed[] } {
  return { waiting: keyframes.waiting.at(ALL, segment), seeds: keyframes.seeds.at(ALL, segment) };
}

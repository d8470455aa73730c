import type { Accumulation, Edge, NodeRecord, Pass, Root, TensorRecord, Trace, Value } from '../../api/types';
import {
  FUTURE_CARD,
  FUTURE_EDGE,
  FUTURE_PILL,
  full,
  History,
  NO_BEADS,
  NO_BUCKET,
  UNKNOWN_BEADS,
  type Bucket,
  type CardState,
  type EdgeState,
  type PillState,
  type Seed,
} from './element_states';
import { accumulationsOf, type Delivery, type Segment, type Timeline } from './timeline';
import { norm, toNumber } from '../trace/values';
import { visible } from '../trace/visibility';

const ALL = '*';

/** Everything that a frame is read from: the trace by id, and what each element looks like from segment to segment. */
export interface Score {
  trace: Trace;
  timeline: Timeline;
  tensors: TensorRecord[];
  nodes: NodeRecord[];
  edges: Edge[];
  nodeById: Map<string, NodeRecord>;
  inputEdges: Map<string, Edge[]>;
  outputEdges: Map<string, Edge[]>;
  cards: History<CardState>;
  pills: History<PillState>;
  wires: History<EdgeState>;
  waiting: History<readonly Delivery[]>;
  seeds: History<readonly Seed[]>;
}

function groupBy(edges: Edge[], key: (edge: Edge) => string): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) groups.set(key(edge), [...(groups.get(key(edge)) ?? []), edge]);
  return groups;
}

function emptyScore(trace: Trace, timeline: Timeline): Score {
  const { tensors, nodes } = visible(trace);
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
    cards: new History(FUTURE_CARD),
    pills: new History(FUTURE_PILL),
    wires: new History(FUTURE_EDGE),
    waiting: new History<readonly Delivery[]>([]),
    seeds: new History<readonly Seed[]>([]),
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
    ...step.grad_inputs.map((share) => share.value),
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
function appear(score: Score, tensor: TensorRecord, from: number): void {
  const asked = score.trace.error?.code === 'nonscalar-backward' && score.trace.error.tensor === tensor.id;
  score.cards.update(tensor.id, from, { value: 1, ...(asked ? { gradient: UNKNOWN_BEADS } : {}) });
  if (!tensor.node) return;
  score.pills.update(tensor.node, from, { phase: 'idle', dim: false });
  for (const edge of wiresOf(score, tensor.node))
    score.wires.update(edge.id, from, { future: false, dim: false });
}

/** All edges of a function. */
export function wiresOf(score: Score, node: string): Edge[] {
  return [...(score.inputEdges.get(node) ?? []), ...(score.outputEdges.get(node) ?? [])];
}

function bucketBefore(latest: Bucket, accumulation: Accumulation): Bucket {
  const { before } = accumulation;
  if (!before) return NO_BUCKET;
  const shares = norm(before) === 0 ? 0 : Math.max(1, latest.shares);
  return { ...NO_BUCKET, ...full(before), state: 'full', shares };
}

/** A pass begins: the gradients of the pass before it are gone, buckets hold what they held. */
function beginPass(score: Score, pass: Pass, from: number): void {
  const sums = accumulationsOf(pass);
  for (const { id } of score.tensors) {
    const { bucket } = score.cards.latest(id);
    const sum = sums.get(id);
    const next = sum ? bucketBefore(bucket, sum) : bucket;
    score.cards.update(id, from, { gradient: NO_BEADS, bucket: next });
  }
  for (const node of score.nodes)
    if (score.pills.latest(node.id).phase === 'done') score.pills.update(node.id, from, { phase: 'idle' });
  for (const edge of score.edges)
    if (score.wires.latest(edge.id).fill > 0) score.wires.update(edge.id, from, { fill: 0 });
  score.waiting.set(ALL, from, []);
  plantSeeds(score, pass, from);
}

function plantSeeds(score: Score, pass: Pass, from: number): void {
  const sums = accumulationsOf(pass);
  score.seeds.set(
    ALL,
    from,
    pass.roots.map((root) => seedOf(root, pass)),
  );
  for (const root of pass.roots)
    if (!sums.has(root.tensor)) score.cards.update(root.tensor, from, { gradient: full(root.gradient) });
}

/** What a pass with `create_graph` made is there once it has run. */
function endPass(score: Score, pass: Pass, from: number): void {
  for (const tensor of score.tensors) if (tensor.pass_id === pass.id) appear(score, tensor, from);
}

function addIntoBucket(score: Score, pass: Pass, tensor: string, from: number): void {
  const sum = pass.accumulations.find((each) => each.tensor === tensor);
  if (!sum) return;
  const { shares } = score.cards.latest(tensor).bucket;
  const bucket: Bucket = { ...NO_BUCKET, ...full(sum.after), state: 'full', shares: shares + 1 };
  score.cards.update(tensor, from, { bucket });
}

function land(score: Score, pass: Pass, { tensor, share }: Delivery, from: number): void {
  score.cards.update(tensor, from, { gradient: full(pass.gradients[tensor] ?? share.value) });
}

function stopWaiting(score: Score, tensors: Set<string>, from: number): void {
  const left = score.waiting.latest(ALL).filter((each) => !tensors.has(each.tensor));
  score.waiting.set(ALL, from, left);
}

function afterShare(score: Score, pass: Pass, segment: Segment): void {
  const from = segment.index + 1;
  const next = score.timeline.segments[from];
  const added = new Set(
    next?.kind === 'add' && next.step === segment.step && next.pass === segment.pass
      ? next.deliveries.map((each) => each.tensor)
      : [],
  );
  const largest = largestNorm(pass);
  for (const delivery of segment.deliveries) {
    const { edge, tensor, share } = delivery;
    score.wires.update(edge, from, { fill: 1, width: lineWidth(share.value, largest) });
    if (delivery.landing === 'wait' || added.has(tensor)) {
      score.waiting.set(ALL, from, [...score.waiting.latest(ALL), delivery]);
    } else land(score, pass, delivery, from);
  }
}

function afterAdd(score: Score, pass: Pass, segment: Segment): void {
  const from = segment.index + 1;
  const tensors = new Set(segment.deliveries.map((each) => each.tensor));
  for (const delivery of segment.deliveries) {
    if (delivery.landing === 'bucket') addIntoBucket(score, pass, delivery.tensor, from);
    else if (delivery.landing === 'gradient') land(score, pass, delivery, from);
  }
  if (segment.step === null && segment.tensor) addIntoBucket(score, pass, segment.tensor, from);
  stopWaiting(score, tensors, from);
}

function afterArrive(score: Score, pass: Pass, segment: Segment): void {
  const largest = largestNorm(pass);
  for (const { edge, value } of arriving(score, segment))
    score.wires.update(edge.id, segment.index + 1, { fill: 1, width: lineWidth(value, largest) });
}

/** The edges on which gradients arrive at the function of a step. */
export function arriving(score: Score, segment: Segment): { edge: Edge; value: Value }[] {
  const step = score.trace.passes[segment.pass ?? -1]?.steps[segment.step ?? -1];
  const node = score.nodeById.get(segment.node ?? '');
  const edges = score.outputEdges.get(segment.node ?? '') ?? [];
  return edges.flatMap((edge) => {
    const value = step?.grad_outputs[node?.outputs.indexOf(edge.tensor) ?? -1];
    return value ? [{ edge, value }] : [];
  });
}

function afterStep(score: Score, pass: Pass, segment: Segment): void {
  const next = score.timeline.segments[segment.index + 1];
  if (!segment.node || (next?.step === segment.step && next.pass === segment.pass)) return;
  const freed = pass.steps[segment.step ?? -1]?.freed ?? [];
  const all = [...new Set([...score.pills.latest(segment.node).freed, ...freed])];
  score.pills.update(segment.node, segment.index + 1, {
    phase: 'done',
    direction: 'backward',
    dim: false,
    freed: all,
  });
}

function playForward(score: Score, segment: Segment, tensors: Map<string, TensorRecord>): void {
  const tensor = tensors.get(segment.tensor ?? '');
  if (tensor) appear(score, tensor, segment.index + 1);
}

function playBackward(score: Score, segment: Segment): void {
  const pass = score.trace.passes[segment.pass ?? -1];
  if (!pass) return;
  if (score.timeline.segments[segment.index - 1]?.pass !== segment.pass)
    beginPass(score, pass, segment.index);
  if (segment.kind === 'arrive') afterArrive(score, pass, segment);
  if (segment.kind === 'share') afterShare(score, pass, segment);
  if (segment.kind === 'add') afterAdd(score, pass, segment);
  afterStep(score, pass, segment);
  if (score.timeline.segments[segment.index + 1]?.pass !== segment.pass)
    endPass(score, pass, segment.index + 1);
}

function missingSeed(score: Score): void {
  const { error } = score.trace;
  if (error?.code !== 'nonscalar-backward' || !error.tensor) return;
  const seed: Seed = { tensor: error.tensor, gradient: null, given: 'missing' };
  score.seeds.set(ALL, score.timeline.segments.length, [seed]);
}

/** Plays the whole timeline once, so that any frame can be looked up. */
export function compose(trace: Trace, timeline: Timeline): Score {
  const score = emptyScore(trace, timeline);
  const tensors = new Map(score.tensors.map((tensor) => [tensor.id, tensor]));
  for (const segment of timeline.segments) {
    if (segment.kind === 'forward') playForward(score, segment, tensors);
    else playBackward(score, segment);
  }
  missingSeed(score);
  return score;
}

/** The gradients that stand and wait, and the roots, when a segment begins. */
export function standing(
  score: Score,
  segment: number,
): { waiting: readonly Delivery[]; seeds: readonly Seed[] } {
  return { waiting: score.waiting.at(ALL, segment), seeds: score.seeds.at(ALL, segment) };
}

import type { Accumulation, Edge, GradInput, Pass, Step, Trace } from '../../api/types';
import { gradResultNames } from '../trace/grad_results';
import { visiblePart } from '../trace/visibility';

/** Milliseconds of each segment. The length of a segment on the timeline is its duration, so the ruler is true. */
export const DURATION = { forward: 360, arrive: 360, rule: 480, send: 620, add: 420 } as const;

/** Where several grad_inputs or gradients move in one segment, each starts this much after the one before. */
const STAGGER = 120;

/** A function with more input edges than this sends the rest together. */
const SEPARATE_EDGES = 4;

export type SegmentKind = keyof typeof DURATION;

/** Where a grad_input goes: into the `.grad` of a leaf, to the gradient of a tensor, or to wait there for others. */
export type Landing = 'bucket' | 'gradient' | 'wait';

/** One edge of a send or add segment. */
export interface Delivery {
  edge: string;
  tensor: string;
  gradInput: GradInput;
  landing: Landing;
  /** Its place among the grad_inputs that this tensor receives in the pass, and their number. */
  slot: number;
  of: number;
}

/**
 * One segment. `stop` counts what a reader calls steps, from 1: each tensor of the forward pass, each function of a
 * backward pass. `pass` and `step` are indices into the trace. `node` and `tensor` say what the segment is about:
 * forward has the tensor made and the function that made it; send and add have the tensor that receives.
 */
export interface Segment {
  index: number;
  kind: SegmentKind;
  start: number;
  end: number;
  stop: number;
  pass: number | null;
  step: number | null;
  node: string | null;
  tensor: string | null;
  /** The grad_inputs on their way (send), or the grad_inputs that are added (add), those that waited included. */
  deliveries: Delivery[];
}

/** The segments of one pass, and whether it ended early. */
export interface PassSpan {
  pass: number;
  start: number;
  end: number;
  firstStop: number;
  lastStop: number;
  complete: boolean;
}

export interface Timeline {
  segments: Segment[];
  duration: number;
  stops: number;
  forwardEnd: number;
  passes: PassSpan[];
}

type SegmentDraft = Omit<Segment, 'index' | 'start' | 'end' | 'stop' | 'deliveries'> & {
  deliveries?: Delivery[];
};

class TimelineBuilder {
  readonly segments: Segment[] = [];
  time = 0;
  stop = 0;

  add(segment: SegmentDraft): void {
    const { deliveries = [], ...rest } = segment;
    const start = this.time;
    this.time += DURATION[segment.kind] + STAGGER * Math.max(0, simultaneous(segment) - 1);
    this.segments.push({
      ...rest,
      deliveries,
      index: this.segments.length,
      start,
      end: this.time,
      stop: this.stop,
    });
  }
}

/** How many things start one after another within the segment; the rest of a wide function leaves at once. */
function simultaneous(segment: SegmentDraft): number {
  return segment.kind === 'add' ? Math.min(3, segment.deliveries?.length ?? 1) : 1;
}

/** How many gradients each tensor receives during a pass, the given one included. */
function expectedArrivals(pass: Pass, edges: Map<string, Edge>): Map<string, number> {
  const arrivals = new Map<string, number>();
  const note = (tensor: string) => arrivals.set(tensor, (arrivals.get(tensor) ?? 0) + 1);
  for (const root of pass.roots) note(root.tensor);
  for (const step of pass.steps)
    for (const gradInput of step.grad_inputs) {
      const edge = edges.get(gradInput.edge);
      if (edge) note(edge.tensor);
    }
  return arrivals;
}

/** The accumulations of a pass by tensor. */
export function accumulationsOf(pass: Pass): Map<string, Accumulation> {
  return new Map(pass.accumulations.map((each) => [each.tensor, each]));
}

/** Follows one pass and says for each grad_input whether it lands or waits. */
class Arrivals {
  private readonly left: Map<string, number>;
  private readonly expected: Map<string, number>;
  private readonly waiting = new Map<string, Delivery[]>();
  private readonly buckets: Map<string, Accumulation>;
  private readonly returned: Map<string, string | null>;

  constructor(trace: Trace, pass: Pass, edges: Map<string, Edge>) {
    this.left = expectedArrivals(pass, edges);
    this.returned = gradResultNames(trace, pass);
    this.buckets = accumulationsOf(pass);
    for (const root of pass.roots) this.count(root.tensor);
    this.expected = new Map(this.left);
  }

  private count(tensor: string): number {
    const left = (this.left.get(tensor) ?? 1) - 1;
    this.left.set(tensor, left);
    return left;
  }

  land(gradInput: GradInput, tensor: string): Delivery {
    const last = this.count(tensor) <= 0;
    const landing = !last ? 'wait' : this.buckets.has(tensor) ? 'bucket' : 'gradient';
    const waiting = this.waiting.get(tensor) ?? [];
    const of = this.expected.get(tensor) ?? 1;
    const delivery: Delivery = { edge: gradInput.edge, tensor, gradInput, landing, slot: waiting.length, of };
    this.waiting.set(tensor, [...waiting, delivery]);
    return delivery;
  }

  /** The grad_inputs that a landing adds up: none where a single grad_input simply becomes the gradient. */
  sum(delivery: Delivery, seeded: boolean): Delivery[] {
    const all = this.waiting.get(delivery.tensor) ?? [];
    if (delivery.landing === 'wait') return [];
    const isKept = delivery.landing === 'bucket' || this.returned.has(delivery.tensor);
    return isKept || all.length > 1 || seeded ? all : [];
  }

  /** Leaves that were given their gradient directly, being roots themselves. */
  directly(pass: Pass): string[] {
    return pass.roots
      .map((root) => root.tensor)
      .filter((tensor, k, all) => all.indexOf(tensor) === k)
      .filter((tensor) => this.buckets.has(tensor) && this.left.get(tensor) === 0);
  }
}

/** Last operand first, so that the first operand's grad_input is the one that closes a step. */
function inOrder(step: Step, edges: Map<string, Edge>): GradInput[] {
  const operand = (gradInput: GradInput) => edges.get(gradInput.edge)?.input ?? 0;
  return step.grad_inputs
    .filter((gradInput) => edges.has(gradInput.edge))
    .toSorted((x, y) => operand(y) - operand(x));
}

function inTurns(gradInputs: GradInput[]): GradInput[][] {
  const single = gradInputs.slice(0, SEPARATE_EDGES).map((gradInput) => [gradInput]);
  const rest = gradInputs.slice(SEPARATE_EDGES);
  return rest.length > 0 ? [...single, rest] : single;
}

interface PassContext {
  builder: TimelineBuilder;
  pass: Pass;
  number: number;
  edges: Map<string, Edge>;
  arrivals: Arrivals;
  seeds: Set<string>;
}

function addStep(context: PassContext, step: Step, k: number): void {
  const { builder, edges, arrivals, seeds, number } = context;
  const at = { pass: number, step: k, node: step.node };
  builder.stop += 1;
  builder.add({ kind: 'arrive', ...at, tensor: null });
  builder.add({ kind: 'rule', ...at, tensor: null });
  for (const turn of inTurns(inOrder(step, edges))) {
    const sent = turn.map((gradInput) => arrivals.land(gradInput, edges.get(gradInput.edge)?.tensor ?? ''));
    const summed = sent.flatMap((each) => arrivals.sum(each, seeds.has(each.tensor)));
    const tensor = sent[0]?.tensor ?? null;
    builder.add({ kind: 'send', ...at, tensor, deliveries: sent });
    if (summed.length > 0)
      builder.add({ kind: 'add', ...at, tensor: summed.at(-1)?.tensor ?? null, deliveries: summed });
  }
}

function addPass(builder: TimelineBuilder, trace: Trace, number: number, edges: Map<string, Edge>): PassSpan {
  const pass = trace.passes[number]!;
  const arrivals = new Arrivals(trace, pass, edges);
  const seeds = new Set(pass.roots.map((root) => root.tensor));
  const start = builder.time;
  const firstStop = builder.stop + 1;
  for (const tensor of arrivals.directly(pass)) {
    builder.stop += 1;
    builder.add({ kind: 'add', pass: number, step: null, node: null, tensor });
  }
  pass.steps.forEach((step, k) => addStep({ builder, pass, number, edges, arrivals, seeds }, step, k));
  return {
    pass: number,
    start,
    end: builder.time,
    firstStop,
    lastStop: builder.stop,
    complete: pass.complete,
  };
}

/** The whole run as segments: each tensor as it is made, then each pass function by function. */
export function buildTimeline(trace: Trace): Timeline {
  const builder = new TimelineBuilder();
  const edges = new Map(trace.edges.map((edge) => [edge.id, edge]));
  const isPartOfPass = new Set(trace.nodes.filter((node) => node.pass_id).map((node) => node.id));
  for (const tensor of visiblePart(trace).tensors) {
    if (tensor.pass_id && tensor.node && isPartOfPass.has(tensor.node)) continue;
    builder.stop += 1;
    builder.add({ kind: 'forward', pass: null, step: null, node: tensor.node, tensor: tensor.id });
  }
  const forwardEnd = builder.time;
  const passes = trace.passes.map((_, k) => addPass(builder, trace, k, edges));
  return { segments: builder.segments, duration: builder.time, stops: builder.stop, forwardEnd, passes };
}

/** The segment at a time, and how far into it, from 0 to 1. At a border the later segment counts. */
export function segmentAt(timeline: Timeline, time: number): { segment: Segment; progress: number } | null {
  const { segments } = timeline;
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((segments[middle]?.start ?? Infinity) <= time) low = middle;
    else high = middle - 1;
  }
  const segment = segments[low];
  if (!segment) return null;
  const progress = (time - segment.start) / (segment.end - segment.start);
  return { segment, progress: Math.max(0, Math.min(1, progress)) };
}

/** The part of a send segment after which the chip, eased, is in the middle of its edge. */
export const MID_FLIGHT = 0.38;

/** Where a reader who steps comes to rest in a segment: a grad_input in mid-flight, all else just before its end. */
export function restTime(segment: Segment): number {
  const part = segment.kind === 'send' ? MID_FLIGHT : 0.999;
  return segment.start + part * (segment.end - segment.start);
}

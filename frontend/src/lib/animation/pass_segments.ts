import type { Accumulation, Edge, GradInput, Pass, Step, Trace } from '../../api/types';
import { gradResultNames } from '../trace/grad_results';
import type { Delivery, PassSpan, TimelineBuilder } from './segments';

/** A function with more input edges than this sends the rest together. */
const SEPARATE_EDGES = 4;

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

/** What happens while a pass runs: hooks, and what they do. */
export interface During {
  /** Plays what comes before a step with this index. */
  before(step: number): void;
  /** Plays what comes before these tensors get their gradients. */
  adding(tensors: readonly string[]): void;
}

interface PassContext {
  during: During;
  builder: TimelineBuilder;
  pass: Pass;
  number: number;
  edges: Map<string, Edge>;
  arrivals: Arrivals;
  seeds: Set<string>;
}

function addStep(context: PassContext, step: Step, k: number): void {
  const { builder, edges, arrivals, seeds, number, during } = context;
  const at = { pass: number, step: k, node: step.node };
  during.before(k);
  builder.stop += 1;
  builder.add({ kind: 'arrive', ...at });
  builder.add({ kind: 'rule', ...at });
  for (const turn of inTurns(inOrder(step, edges))) {
    const sent = turn.map((gradInput) => arrivals.land(gradInput, edges.get(gradInput.edge)?.tensor ?? ''));
    const summed = sent.flatMap((each) => arrivals.sum(each, seeds.has(each.tensor)));
    const tensor = sent[0]?.tensor ?? null;
    builder.add({ kind: 'send', ...at, tensor, deliveries: sent });
    during.adding(summed.map((each) => each.tensor));
    if (summed.length > 0)
      builder.add({ kind: 'add', ...at, tensor: summed.at(-1)?.tensor ?? null, deliveries: summed });
  }
}

/** The segments of one pass, function by function. */
export function addPass(
  builder: TimelineBuilder,
  trace: Trace,
  number: number,
  edges: Map<string, Edge>,
  during: During,
): PassSpan {
  const pass = trace.passes[number]!;
  const arrivals = new Arrivals(trace, pass, edges);
  const seeds = new Set(pass.roots.map((root) => root.tensor));
  const start = builder.time;
  const firstStop = builder.stop + 1;
  for (const tensor of arrivals.directly(pass)) {
    builder.stop += 1;
    during.adding([tensor]);
    builder.add({ kind: 'add', pass: number, tensor });
  }
  const context = { builder, pass, number, edges, arrivals, seeds, during };
  pass.steps.forEach((step, k) => addStep(context, step, k));
  during.before(Infinity);
  return {
    pass: number,
    start,
    end: builder.time,
    firstStop,
    lastStop: builder.stop,
    complete: pass.complete,
  };
}

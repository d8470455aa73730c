import type { Accumulation, GradInput, NodeRecord, Pass, Step, TensorRecord, Trace } from '../../api/types';
import type { Segment, Timeline } from '../animation/segments';
import type { Lookup } from '../trace/lookup';
import { layerOf, turnerOf } from '../rules/layer';

/** Where a grad_input is at a time. */
export type GradInputState = 'later' | 'next' | 'onItsWay' | 'arrived' | 'added';

/** One input edge of a function in a step. */
export interface GradInputStatus {
  gradInput: GradInput;
  tensor: TensorRecord | null;
  state: GradInputState;
  /** The segment at hand moves it. */
  moving: boolean;
  /** What it is added into, where it goes into the `.grad` of a leaf. */
  sum: Accumulation | null;
  /** Of a weight that was turned round for its layer: the grad_input in the weight's own shape. */
  turned: GradInput | null;
}

/** A function in one of its backward steps. */
export interface NodeStep {
  pass: Pass;
  passIndex: number;
  step: Step;
  /** A gradient has arrived at it, or is on its way there. */
  isBegun: boolean;
  /** How much of the rule has been computed, 0 to 1. */
  ruled: number;
  gradInputs: GradInputStatus[];
}

/** What the inspector tells of a function: a function that only turns a weight round is told with its layer. */
export function toldNode(lookup: Lookup, node: NodeRecord): NodeRecord {
  return layerOf(lookup, node.id) ?? node;
}

/** The functions that a layer's step takes in, for the title. */
export function turnersOf(lookup: Lookup, node: NodeRecord): NodeRecord[] {
  return node.inputs.flatMap((id) => turnerOf(lookup, id) ?? []);
}

/** The step of a function that a time belongs to: the latest that has begun, else its first. */
export function stepOf(lookup: Lookup, timeline: Timeline, node: string, time: number): NodeStep | null {
  const told = new Set([node, ...turnersOf(lookup, lookup.node(node)!).map(({ id }) => id)]);
  const own = timeline.segments.filter((segment) => told.has(segment.node ?? '') && segment.pass !== null);
  const at = own.findLast(({ start }) => start <= time) ?? own[0];
  const pass = at && at.pass !== null ? lookup.trace.passes[at.pass] : undefined;
  const index = pass?.steps.findIndex((each) => each.node === node) ?? -1;
  const step = pass?.steps[index];
  if (!at || !pass || !step) return null;
  const segments = own.filter((segment) => segment.pass === at.pass && segment.step === index);
  const statuses = statusesOf(lookup, pass, step, segments, time);
  return {
    pass,
    passIndex: at.pass!,
    step,
    isBegun: segments.some(({ start }) => start <= time),
    ruled: ruledAt(segments, time),
    gradInputs: statuses.map((status) => {
      const turner = turnerOf(lookup, status.tensor?.id);
      const inside = own.filter((segment) => segment.pass === at.pass && segment.node === turner?.id);
      return turner ? turnedBack(lookup, pass, status, turner, inside, time) : status;
    }),
  };
}

/** The status of a turned weight as that of the weight: it arrives where the function that turned it hands it on. */
function turnedBack(
  lookup: Lookup,
  pass: Pass,
  status: GradInputStatus,
  turner: NodeRecord,
  segments: Segment[],
  time: number,
): GradInputStatus {
  const step = pass.steps.find(({ node }) => node === turner.id);
  const [inner] = step ? statusesOf(lookup, pass, step, segments, time) : [];
  if (!inner) return status;
  const [first, last] = [segments[0], segments.at(-1)];
  const within = !!first && !!last && first.start <= time && time < last.end;
  const arrived = inner.state === 'added' || inner.state === 'arrived';
  const state = arrived ? inner.state : status.state === 'arrived' ? 'onItsWay' : status.state;
  const moving = status.moving || within;
  return { ...inner, gradInput: status.gradInput, turned: inner.gradInput, state, moving };
}

/** The matrices fill from a third of the rule's segment to its end. */
function ruledAt(segments: Segment[], time: number): number {
  const rule = segments.find(({ kind }) => kind === 'rule');
  if (!rule) return 1;
  const begin = rule.start + (rule.end - rule.start) / 3;
  return Math.max(0, Math.min(1, (time - begin) / (rule.end - begin)));
}

function statusesOf(
  lookup: Lookup,
  pass: Pass,
  step: Step,
  segments: Segment[],
  time: number,
): GradInputStatus[] {
  const next = segments.find(({ kind, start }) => kind === 'send' && start > time);
  const operand = ({ edge }: GradInput) => lookup.edge(edge)?.input ?? 0;
  const inOrder = step.grad_inputs.toSorted((x, y) => operand(x) - operand(y));
  return inOrder.map((gradInput) => {
    const tensor = lookup.tensor(lookup.edge(gradInput.edge)?.tensor);
    const sum = pass.accumulations.find((each) => each.tensor === tensor?.id) ?? null;
    const moving = segments.some(
      (segment) => carries(segment, gradInput.edge) && segment.start <= time && time < segment.end,
    );
    return {
      gradInput,
      tensor,
      sum,
      moving,
      turned: null,
      state: stateOf(gradInput.edge, segments, next, time),
    };
  });
}

function carries(segment: Segment, edge: string): boolean {
  return segment.deliveries.some((delivery) => delivery.edge === edge);
}

function stateOf(edge: string, segments: Segment[], next: Segment | undefined, time: number): GradInputState {
  const send = segments.find((each) => each.kind === 'send' && carries(each, edge));
  const add = segments.find((each) => each.kind === 'add' && carries(each, edge));
  if (!send || time < send.start)
    return send && send === next && time >= segments[0]!.start ? 'next' : 'later';
  if (time < send.end) return 'onItsWay';
  if (!add) return 'arrived';
  return time >= add.end - 1 ? 'added' : 'onItsWay';
}

/** The grad_input that a reader looks at: the one in motion, else the next, else the last that went. */
export function currentGradInput(gradInputs: GradInputStatus[]): GradInputStatus | null {
  const found = gradInputs.find(({ moving }) => moving) ?? gradInputs.find(({ state }) => state === 'next');
  return found ?? gradInputs.find(({ state }) => state !== 'later') ?? gradInputs[0] ?? null;
}

export type NoGradient = 'integer' | 'detached' | 'constant' | 'computed';

/** Why no gradient reaches a tensor; null where one can. */
export function whyNoGradient(trace: Trace, tensor: TensorRecord): NoGradient | null {
  if (tensor.requires_grad) return null;
  if (/int|bool/.test(tensor.dtype)) return 'integer';
  const maker = trace.nodes.find((node) => node.id === tensor.node);
  if (!maker || maker.inputs.length === 0) return 'constant';
  return maker.op === 'detach' ? 'detached' : 'computed';
}

/** What a function saved, by the program's names for it, in the order of its operands; the same tensor once. */
export function savedNames(node: NodeRecord, lookup: Lookup): string[] {
  const operand = (tensor: string) => node.inputs.indexOf(tensor) + 1 || Infinity;
  const inOrder = node.saved.toSorted((x, y) => operand(x.tensor) - operand(y.tensor));
  return [...new Set(inOrder.map(({ tensor }) => lookup.name(tensor)))];
}

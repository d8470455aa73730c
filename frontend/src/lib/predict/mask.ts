import type { Pass, TensorRecord, Trace } from '../../api/types';
import { eventsOf, versionsOf } from '../trace/events';

/** The gradient that a reader is to work out: of a tensor, in a pass. */
export interface Asked {
  pass: number;
  tensor: string;
}

/**
 * A run up to the pass that is asked about, without the gradient that is asked for and without anything that was computed
 * from it: what is not in the trace, nothing on the page can show.
 */
export function maskedTrace(trace: Trace, asked: Asked): Trace {
  const pass = trace.passes[asked.pass];
  if (!pass) return trace;
  const events = eventsOf(trace);
  const at = events.findIndex((event) => event.kind === 'pass' && event.pass === pass.id);
  const kept = at < 0 ? events : events.slice(0, at + 1);
  const later = new Set(
    at < 0 ? [] : events.slice(at + 1).flatMap((event) => (event.kind === 'function' ? [event.node] : [])),
  );
  const laterPasses = new Set(trace.passes.slice(asked.pass).map(({ id }) => id));
  const nodes = trace.nodes.filter(({ id, pass_id }) => !later.has(id) && !laterPasses.has(pass_id ?? ''));
  const passes = [...trace.passes.slice(0, asked.pass), maskedPass(trace, pass, asked.tensor)];
  const tensors = tensorsOf(trace, nodes, passes).map((tensor) => tensorBefore(tensor, passes, at));
  const ids = new Set([...nodes.map(({ id }) => id), ...tensors.map(({ id }) => id)]);
  const printed = kept.map((event) => (event.kind === 'print' ? event.text : '')).join('');
  return {
    ...trace,
    stdout: at < 0 ? '' : printed,
    error: null,
    warnings: [],
    notes: [],
    left_out: [],
    events: [...kept],
    nodes,
    tensors,
    edges: trace.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
    passes,
    shown: trace.shown.filter((id) => ids.has(id)),
  };
}

/** What kept functions and passes speak of; a tensor that nothing uses may be the gradient itself. */
function tensorsOf(trace: Trace, nodes: Trace['nodes'], passes: readonly Pass[]): TensorRecord[] {
  const used = new Set([
    ...nodes.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]),
    ...passes.flatMap(({ roots, accumulations }) => [
      ...roots.flatMap(({ tensor, argument }) => [tensor, ...(argument ? [argument] : [])]),
      ...accumulations.map(({ tensor }) => tensor),
    ]),
    ...passes.flatMap(({ gradients }) => Object.keys(gradients)),
  ]);
  for (const { id, view_of } of trace.tensors) if (used.has(id) && view_of) used.add(view_of);
  return trace.tensors.filter(({ id, is_leaf, requires_grad }) => used.has(id) || (is_leaf && requires_grad));
}

/** A tensor as it was when the pass began, with the `.grad` that the kept passes leave in it. */
function tensorBefore(tensor: TensorRecord, passes: readonly Pass[], at: number): TensorRecord {
  const added = passes.flatMap((pass) => pass.accumulations.filter((sum) => sum.tensor === tensor.id));
  const versions = versionsOf(tensor).filter(({ event }) => event === null || event <= at);
  const value = versions.at(-1)?.value ?? tensor.value;
  return { ...tensor, value, versions: [...versions], grad: tensor.grad && (added.at(-1)?.after ?? null) };
}

/** The tensors whose gradients are the one asked for or were computed from it, and the functions that computed them. */
export function hiddenBy(
  trace: Trace,
  pass: Pass,
  tensor: string,
): { tensors: Set<string>; nodes: Set<string> } {
  const targets = new Map(trace.edges.map((edge) => [edge.id, edge.tensor]));
  const outputs = new Map(trace.nodes.map((node) => [node.id, node.outputs]));
  const tensors = new Set([tensor]);
  const nodes = new Set<string>();
  for (const step of pass.steps) {
    if (!outputs.get(step.node)?.some((id) => tensors.has(id))) continue;
    nodes.add(step.node);
    for (const { edge } of step.grad_inputs) tensors.add(targets.get(edge) ?? '');
  }
  return { tensors, nodes };
}

function maskedPass(trace: Trace, pass: Pass, tensor: string): Pass {
  const hidden = hiddenBy(trace, pass, tensor);
  const targets = new Map(trace.edges.map((edge) => [edge.id, edge.tensor]));
  const isShown = (id: string) => !hidden.tensors.has(id);
  const steps = pass.steps.map((step) => ({
    ...step,
    grad_inputs: step.grad_inputs.filter(({ edge }) => isShown(targets.get(edge) ?? '')),
  }));
  const places = steps.map(({ node }) => !hidden.nodes.has(node));
  const only = <Each>(record: Record<string, Each>) =>
    Object.fromEntries(Object.entries(record).filter(([id]) => isShown(id)));
  return {
    ...pass,
    steps: steps.filter((_, k) => places[k]),
    gradients: only(pass.gradients),
    accumulations: pass.accumulations
      .filter((sum) => isShown(sum.tensor))
      .map((sum) => ({
        ...sum,
        step: Math.max(0, places.slice(0, sum.step + 1).filter(Boolean).length - 1),
      })),
    jacobian: pass.jacobian ? only(pass.jacobian) : null,
  };
}

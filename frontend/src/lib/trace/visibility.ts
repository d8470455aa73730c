import type { NodeRecord, TensorRecord, Trace } from '../../api/types';

/** The part of a trace that the picture shows. */
export interface Visible {
  tensors: TensorRecord[];
  nodes: NodeRecord[];
}

/** A creation such as `zeros(2)` is drawn as its tensor alone. */
export function isCreation(node: NodeRecord): boolean {
  return node.kind === 'constant' && node.inputs.length === 0;
}

/** Does a gradient flow out of this node? */
function differentiates(node: NodeRecord): boolean {
  return node.kind !== 'constant';
}

/** Tensors that end a branch of the graph and could be differentiated. Unnamed views are by-products of indexing. */
function loneEnds(trace: Trace): TensorRecord[] {
  const consumed = new Set(trace.nodes.filter(differentiates).flatMap((node) => node.inputs));
  const last = new Map(trace.tensors.map((t) => [t.names[0] ?? '', t]));
  /** A parameter is written when it is initialised: what it was before that is of no interest. */
  const isOutdated = (t: TensorRecord) => t.is_leaf && (last.get(t.names[0] ?? '')?.version ?? 0) > t.version;
  return trace.tensors.filter(
    (t) =>
      t.requires_grad &&
      !t.pass_id &&
      !consumed.has(t.id) &&
      !isOutdated(t) &&
      (t.names.length > 0 || t.view_of === null),
  );
}

function goals(trace: Trace): string[] {
  const roots = trace.passes.flatMap((pass) => pass.roots.map((root) => root.tensor));
  if (trace.error?.tensor) roots.push(trace.error.tensor);
  return roots;
}

/** What leads to a tensor is followed up to the leaves that require a gradient: those begin a history of their own. */
function ancestors(trace: Trace, from: string[]): Set<string> {
  const tensors = new Map(trace.tensors.map((tensor) => [tensor.id, tensor]));
  const nodes = new Map(trace.nodes.map((node) => [node.id, node]));
  const seen = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const tensor = tensors.get(id);
    if (seen.has(id) || !tensor) continue;
    seen.add(id);
    if (tensor.node && !(tensor.is_leaf && tensor.requires_grad)) {
      open.push(...(nodes.get(tensor.node)?.inputs ?? []));
    }
  }
  return seen;
}

/**
 * What leads to a differentiated output, or to a tensor that could be one. A program that differentiates nothing is
 * shown whole.
 */
export function visiblePart(trace: Trace): Visible {
  const roots = goals(trace);
  const ends = loneEnds(trace).map((tensor) => tensor.id);
  const shown = ancestors(trace, [...roots, ...ends]);
  const whole = roots.length === 0;
  const tensors = trace.tensors.filter((t) => whole || shown.has(t.id));
  const kept = new Set(tensors.map((tensor) => tensor.id));
  const leafMakers = new Set(
    tensors.filter((t) => !whole && t.is_leaf && t.requires_grad).map((t) => t.node),
  );
  const nodes = trace.nodes.filter(
    (node) => !isCreation(node) && !leafMakers.has(node.id) && node.outputs.some((id) => kept.has(id)),
  );
  return { tensors, nodes };
}

import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import { unweightedBy, visiblePart } from '../trace/visibility';

/** What the parts of the model are made from. */
export interface GraphContext {
  trace: Trace;
  tensors: TensorRecord[];
  nodes: NodeRecord[];
  nodeById: Map<string, NodeRecord>;
  kept: Set<string>;
  /** The functions that are on screen, by id. */
  drawn: ReadonlySet<string>;
  /** The functions that a tensor goes into. */
  users: Map<string, NodeRecord[]>;
  reached: Set<string>;
  asked: Set<string>;
  /** Does the program call `autograd.grad`? Then leaves receive gradients that are no `.grad`. */
  returned: boolean;
}

export function contextOf(trace: Trace): GraphContext {
  const { tensors, nodes } = visiblePart(trace);
  const asked = trace.passes.flatMap((pass) => pass.roots.map((root) => root.tensor));
  if (trace.error?.tensor) asked.push(trace.error.tensor);
  return {
    trace,
    tensors,
    nodes,
    nodeById: new Map(trace.nodes.map((node) => [node.id, node])),
    kept: new Set(tensors.map((tensor) => tensor.id)),
    drawn: new Set(nodes.map((node) => node.id)),
    users: usersOf(nodes),
    reached: gradientHolders(trace),
    asked: new Set(asked),
    returned: trace.passes.some((pass) => pass.kind === 'grad'),
  };
}

/** A part of a graph: these of its functions and tensors. */
export function partOf(context: GraphContext, nodes: NodeRecord[], tensors: TensorRecord[]): GraphContext {
  return {
    ...context,
    nodes,
    tensors,
    users: usersOf(nodes),
    drawn: new Set(nodes.map(({ id }) => id)),
    kept: new Set(tensors.map(({ id }) => id)),
  };
}

/** The functions that each tensor goes into. */
export function usersOf(nodes: NodeRecord[]): Map<string, NodeRecord[]> {
  const users = new Map<string, NodeRecord[]>();
  for (const node of nodes)
    for (const input of node.inputs) {
      const known = users.get(input);
      if (known) known.push(node);
      else users.set(input, [node]);
    }
  return users;
}

/** Tensors at which a gradient is shown that is no `.grad`. */
function gradientHolders(trace: Trace): Set<string> {
  const holders = new Set<string>();
  const target = new Map(trace.edges.map((edge) => [edge.id, edge.tensor]));
  for (const pass of trace.passes) {
    const summed = new Set(pass.accumulations.map((each) => each.tensor));
    const sent = pass.steps.flatMap((step) =>
      step.grad_inputs.map((gradInput) => target.get(gradInput.edge) ?? ''),
    );
    for (const id of [...Object.keys(pass.gradients), ...sent]) if (!summed.has(id)) holders.add(id);
  }
  const { error } = trace;
  if (error?.tensor && unweightedBy(error)) holders.add(error.tensor);
  return holders;
}

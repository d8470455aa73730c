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

/** The records that the trace names as shown: the engine decides, for this picture and for the server's own. */
export function visiblePart(trace: Trace): Visible {
  const shown = new Set(trace.shown);
  return {
    tensors: trace.tensors.filter((tensor) => shown.has(tensor.id)),
    nodes: trace.nodes.filter((node) => shown.has(node.id)),
  };
}

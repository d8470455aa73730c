import type { ErrorRecord, NodeRecord, TensorRecord, Trace } from '../../api/types';

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

/** Why a pass has no weights to start from: none were given, or as many as do not fit. */
type Unweighted = 'none' | 'shape';

const CODES: Record<string, Unweighted> = { 'nonscalar-backward': 'none', 'gradient-shape': 'shape' };

/** What an error says of the weights of an output, which the picture then asks for; null where it is about something else. */
export function unweightedBy(error: ErrorRecord | null): Unweighted | null {
  return (error && CODES[error.code]) ?? null;
}

/** Whether a tensor is the output whose weights are missing. */
export function isUnweighted(error: ErrorRecord | null, tensor: string): boolean {
  return error?.tensor === tensor && unweightedBy(error) !== null;
}

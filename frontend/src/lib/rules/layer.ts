import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import { contextOf } from '../graph/context';
import { absorbedNodes } from '../graph/merging';
import type { Lookup } from '../trace/lookup';

/** The functions of a trace that only turn a weight round for its layer, by their ids and by what they make. */
interface Turning {
  owners: Map<string, NodeRecord>;
  makers: Map<string, NodeRecord>;
}

const known = new WeakMap<Trace, Turning>();

function turningOf(trace: Trace): Turning {
  const before = known.get(trace);
  if (before) return before;
  const owners = absorbedNodes(contextOf(trace));
  const makers = new Map(
    trace.nodes.flatMap((node) => (owners.has(node.id) ? [[node.outputs[0] ?? '', node] as const] : [])),
  );
  const turning = { owners, makers };
  known.set(trace, turning);
  return turning;
}

/** The layer to whose step a function belongs; null for a function that stands by itself. */
export function layerOf({ trace }: Lookup, node: string | null | undefined): NodeRecord | null {
  return turningOf(trace).owners.get(node ?? '') ?? null;
}

/** The function that turned a weight round, by the tensor that it made. */
export function turnerOf({ trace }: Lookup, tensor: string | null | undefined): NodeRecord | null {
  return turningOf(trace).makers.get(tensor ?? '') ?? null;
}

/** The parameter behind a weight that was turned round for its layer; any other tensor is itself. */
export function parameterOf(lookup: Lookup, tensor: string | null | undefined): TensorRecord | null {
  return lookup.tensor(turnerOf(lookup, tensor)?.inputs[0] ?? tensor);
}

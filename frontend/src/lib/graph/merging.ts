import type { NodeRecord } from '../../api/types';
import type { GraphContext } from './context';

/** Functions that only turn a parameter round for the function that uses it. */
const TURNING = new Set(['t', 'transpose']);

/** The `t` of a linear layer belongs to the step of the layer: by its id, the function that it belongs to. */
export function absorbedNodes(context: GraphContext): Map<string, NodeRecord> {
  const leaves = new Map(context.tensors.map((tensor) => [tensor.id, tensor]));
  const absorbed = new Map<string, NodeRecord>();
  for (const node of context.nodes) {
    const [input, output] = [leaves.get(node.inputs[0] ?? ''), leaves.get(node.outputs[0] ?? '')];
    if (!TURNING.has(node.op) || !input || !output || node.pass_id) continue;
    const isParameter = input.is_leaf && input.requires_grad && (input.names[0] ?? '').includes('.');
    const users = context.users.get(output.id) ?? [];
    const [user] = users;
    if (!isParameter || !user || users.length > 1 || output.names.length > 0 || context.asked.has(output.id))
      continue;
    if (user.place === node.place) absorbed.set(node.id, user);
  }
  return absorbed;
}

/** The tensor with which a function is drawn as one: its only result. */
export function onlyResult(context: GraphContext, { kind, outputs }: NodeRecord): string | null {
  const [output, ...more] = outputs.filter((each) => context.kept.has(each));
  return output && more.length === 0 && kind !== 'copy_slices' ? output : null;
}

import type { Edge, NodeRecord, OperandToken, Rule, Token, Trace } from '../../api/types';

/** The rule of a function; null where the trace has none. */
export function ruleOf(trace: Trace, node: NodeRecord): Rule | null {
  return trace.rules[node.rule] ?? null;
}

/** The vector-Jacobian product along an input edge, and the same as nested lists. */
export function gradientOf(
  rule: Rule | null,
  edge: Edge | null,
): { tokens: Token[]; expression: unknown[] | null } {
  const name = rule?.inputs[edge?.input ?? -1]?.split('.')[0] ?? '';
  return { tokens: rule?.gradients[name] ?? [], expression: rule?.expressions[name] ?? null };
}

/** Whether a function's backward is the program's own, of which no Jacobian is known. */
export function isOwnBackward(rule: Rule | null): boolean {
  return Object.values(rule?.expressions ?? {}).some(
    (tree) => tree?.[0] === 'call' && tree[1] === 'backward',
  );
}

/** The tensor that a name of a rule stands for: for a gradient, the output that it is the gradient of. */
export function tensorNamed(rule: Rule, node: NodeRecord, { name, role }: OperandToken): string | null {
  if (role === 'setting') return null;
  if (role === 'gradient') return node.outputs[outputIndex(rule, name)] ?? null;
  const input = rule.inputs.indexOf(name);
  return (input < 0 ? node.outputs[rule.outputs.indexOf(name)] : node.inputs[input]) ?? null;
}

/** The output whose gradient has this name: `g` is that of the first, `g_indices` that of the output `indices`. */
export function outputIndex(rule: Rule, name: string): number {
  return name === 'g' ? 0 : rule.outputs.indexOf(name.slice(2));
}

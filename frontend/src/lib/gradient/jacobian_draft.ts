import type { Accumulation, ArrayElement, GradInput, Pass, Step, Trace, Value } from '../../api/types';
import { numel, toElement, toNumber } from '../trace/values';

/** Gradients of a pass by tensor, row-major. */
type Gradients = Map<string, ArrayElement[]>;

/** The weighted sum of the rows: the vector-Jacobian product. */
export function vectorJacobianProduct(weights: readonly number[], rows: readonly ArrayElement[][]): number[] {
  const sum = new Array<number>(rows[0]?.length ?? 0).fill(0);
  rows.forEach((row, i) => row.forEach((each, j) => (sum[j]! += weights[i]! * toNumber(each))));
  return sum;
}

function gradientsOf(pass: Pass, weights: readonly number[]): Gradients {
  const found: Gradients = new Map();
  for (const [tensor, jacobian] of Object.entries(pass.jacobian ?? {}))
    found.set(tensor, vectorJacobianProduct(weights, jacobian.rows).map(toElement));
  return found.set(pass.root, weights.map(toElement));
}

function replaced(value: Value, data: ArrayElement[] | undefined): Value {
  return data && value.data?.length === data.length ? { ...value, data } : value;
}

/** The tensors that receive exactly one grad_input, so that the grad_input is the tensor's whole gradient. */
function receiveOnce(pass: Pass, targets: Map<string, string>): Set<string> {
  const all = [
    pass.root,
    ...pass.steps.flatMap((step) => step.grad_inputs.map((gradInput) => targets.get(gradInput.edge))),
  ];
  const counts = new Map<string | undefined, number>();
  for (const tensor of all) counts.set(tensor, (counts.get(tensor) ?? 0) + 1);
  return new Set(all.filter((tensor) => tensor !== undefined && counts.get(tensor) === 1) as string[]);
}

class PassPatch {
  private readonly targets: Map<string, string>;
  private readonly outputs: Map<string, string[]>;
  private readonly once: Set<string>;

  constructor(
    trace: Trace,
    private readonly pass: Pass,
    private readonly gradients: Gradients,
  ) {
    this.targets = new Map(trace.edges.map((edge) => [edge.id, edge.tensor]));
    this.outputs = new Map(trace.nodes.map((node) => [node.id, node.outputs]));
    this.once = receiveOnce(pass, this.targets);
  }

  private of(value: Value, tensor: string | null | undefined): Value {
    return tensor ? replaced(value, this.gradients.get(tensor)) : value;
  }

  private gradInput = (gradInput: GradInput): GradInput => {
    const tensor = this.targets.get(gradInput.edge);
    const known = tensor !== undefined && this.once.has(tensor);
    const value = known ? this.of(gradInput.value, tensor) : gradInput.value;
    return { ...gradInput, value };
  };

  private step = (step: Step): Step => ({
    ...step,
    grad_outputs: step.grad_outputs.map(
      (value, k) => value && this.of(value, this.outputs.get(step.node)?.[k]),
    ),
    grad_inputs: step.grad_inputs.map(this.gradInput),
  });

  private accumulation = (sum: Accumulation): Accumulation => {
    const incoming = this.of(sum.incoming, sum.tensor);
    return { ...sum, incoming, after: sum.before ? add(sum.before, incoming) : incoming };
  };

  apply(): Pass {
    const { pass } = this;
    const gradient = this.of(pass.gradient, pass.root);
    return {
      ...pass,
      gradient,
      roots: pass.roots.map((root) => ({ ...root, gradient: this.of(root.gradient, root.tensor) })),
      steps: pass.steps.map(this.step),
      gradients: Object.fromEntries(
        Object.entries(pass.gradients).map(([id, value]) => [id, this.of(value, id)]),
      ),
      accumulations: pass.accumulations.map(this.accumulation),
    };
  }
}

function add(left: Value, right: Value): Value {
  if (!left.data || !right.data) return left;
  return { ...left, data: left.data.map((x, k) => toElement(toNumber(x) + toNumber(right.data![k]!))) };
}

/**
 * The trace as it will be with another gradient for its k-th pass, from the Jacobian of that pass: all gradients are
 * linear in it. Null where the trace has no Jacobian to compute that with. Stands in until the server has answered.
 */
export function draftTrace(trace: Trace, k: number, weights: readonly number[]): Trace | null {
  const pass = trace.passes[k];
  if (!pass?.jacobian || pass.roots.length !== 1 || pass.gradient.data?.length !== weights.length)
    return null;
  const patched = new PassPatch(trace, pass, gradientsOf(pass, weights)).apply();
  return { ...trace, passes: trace.passes.with(k, patched) };
}

/** The Jacobian is asked for only where it is small: it costs a pass for each element of the output. */
const MOST_ROWS = 64;

/** Whether the Jacobian of the last pass is to be asked for. */
export function wantsJacobian(trace: Trace): boolean {
  const root = trace.passes.at(-1)?.gradient;
  return root === undefined || numel(root.shape) <= MOST_ROWS;
}

import type { Edge, GradInput, NodeRecord, Pass, Span, TensorRecord, Trace, Value } from '../api/types';

/** A tensor in a sketch. */
export interface Sketched {
  id: string;
  shape: number[];
}

interface Maker {
  name?: string;
  line?: number;
  shape?: number[];
  expression?: string;
}

function spanOf(line: number): Span {
  return { line, column: 0, end_line: line, end_column: 10 };
}

/** A deterministic stream of numbers, so that arrays can be told apart. */
function* stream(): Generator<number, never> {
  for (let k = 1; ; k += 1) yield ((k * 37) % 101) / 4 - 6;
}

/**
 * Builds traces for tests: the structure of a run is as the engine records it, the numbers are made up. Backward
 * follows the order of creation, sums the grad_inputs of a tensor, and accumulates into leaves.
 */
export class Sketch {
  readonly tensors: TensorRecord[] = [];
  readonly nodes: NodeRecord[] = [];
  readonly edges: Edge[] = [];
  readonly passes: Pass[] = [];
  private readonly numbers = stream();
  private readonly grads = new Map<string, Value>();
  private line = 0;

  value(shape: number[]): Value {
    const size = shape.reduce((x, y) => x * y, 1);
    return {
      shape,
      dtype: 'float32',
      data: Array.from({ length: size }, () => this.numbers.next().value),
      summary: null,
    };
  }

  private tensor(maker: Maker, own: Partial<TensorRecord>): Sketched {
    this.line = maker.line ?? this.line + 1;
    const shape = maker.shape ?? [2];
    const id = `t${this.tensors.length}`;
    this.tensors.push({
      id,
      names: maker.name ? [maker.name] : [],
      expression: maker.expression ?? maker.name ?? id,
      shape,
      dtype: 'float32',
      requires_grad: true,
      is_leaf: false,
      version: 0,
      view_of: null,
      value: this.value(shape),
      grad: null,
      node: null,
      span: spanOf(this.line),
      pass_id: null,
      place: null,
      versions: [],
      label: maker.name ?? maker.expression ?? id,
      symbol: maker.name ?? id,
      ...own,
    });
    return { id, shape };
  }

  leaf(name: string, shape: number[] = [2]): Sketched {
    return this.tensor({ name, shape }, { is_leaf: true });
  }

  constant(maker: Maker): Sketched {
    return this.tensor(maker, { is_leaf: true, requires_grad: false });
  }

  private requires({ id }: Sketched): boolean {
    return this.tensors.find((tensor) => tensor.id === id)?.requires_grad ?? false;
  }

  /** Applies a function. Without a name the result is an intermediate. */
  apply(op: string, inputs: Sketched[], maker: Maker = {}, own: Partial<NodeRecord> = {}): Sketched {
    const id = `n${this.nodes.length}`;
    const differentiable = inputs.some((input) => this.requires(input)) && own.kind !== 'constant';
    const out = this.tensor(
      { shape: inputs[0]?.shape ?? [2], ...maker },
      {
        node: id,
        requires_grad: differentiable,
        is_leaf: !differentiable,
        ...(own.kind === 'copy_slices' ? { version: this.versionAfter(inputs[0]) } : {}),
      },
    );
    this.nodes.push({
      id,
      kind: differentiable ? 'function' : 'constant',
      op,
      symbol: SYMBOLS[op] ?? '',
      grad_fn: differentiable ? `${op[0]?.toUpperCase()}${op.slice(1)}Backward0` : null,
      inputs: inputs.map((input) => input.id),
      outputs: [out.id],
      attributes: {},
      saved: differentiable ? inputs.slice(0, 1).map((input) => ({ name: 'input', tensor: input.id, version: 0 })) : [],
      formula: op,
      span: spanOf(this.line),
      scope: [],
      pass_id: null,
      region: null,
      call: null,
      place: null,
      read: {},
      ...own,
    });
    inputs.forEach((input, k) => this.connect(input.id, id, input.id, k));
    this.connect(id, out.id, out.id, null);
    return out;
  }

  private versionAfter(input: Sketched | undefined): number {
    return (this.tensors.find((tensor) => tensor.id === input?.id)?.version ?? 0) + 1;
  }

  private connect(source: string, target: string, tensor: string, input: number | null): void {
    this.edges.push({ id: `e${this.edges.length}`, source, target, tensor, input });
  }

  private gradInput(edge: Edge): GradInput {
    const shape = this.tensors.find((tensor) => tensor.id === edge.tensor)?.shape ?? [];
    return {
      edge: edge.id,
      value: this.value(shape),
      formula: '',
      numbers: '',
      tokens: [],
      tree: null,
      expanded: null,
    };
  }

  /** Forgets the `.grad` of all leaves. */
  zeroGrad(): void {
    this.grads.clear();
  }

  backward(root: Sketched, own: Partial<Pass> = {}): Pass {
    const gradient = this.value(root.shape);
    const pass: Pass = {
      id: `p${this.passes.length}`,
      kind: 'backward',
      root: root.id,
      gradient,
      roots: [{ tensor: root.id, gradient, argument: null }],
      span: spanOf(this.line + 1),
      gradient_span: null,
      retain_graph: false,
      create_graph: false,
      steps: [],
      gradients: { [root.id]: gradient },
      accumulations: [],
      jacobian: null,
      complete: true,
      ...own,
    };
    const last = new Map<string, number>();
    for (const node of this.nodes.toReversed()) this.stepBack(pass, node, last);
    if (pass.kind === 'backward') this.accumulate(pass, last);
    this.passes.push(pass);
    return pass;
  }

  private stepBack(pass: Pass, node: NodeRecord, last: Map<string, number>): void {
    const gradient = pass.gradients[node.outputs[0] ?? ''];
    if (!gradient || node.kind === 'constant') return;
    const incoming = this.edges.filter(
      (edge) => edge.target === node.id && this.requires({ id: edge.tensor, shape: [] }),
    );
    const gradInputs = incoming.map((edge) => this.gradInput(edge));
    for (const [k, edge] of incoming.entries()) {
      const received = gradInputs[k]?.value;
      if (!received) continue;
      const before = pass.gradients[edge.tensor];
      pass.gradients[edge.tensor] = before ? this.value(received.shape) : received;
      last.set(edge.tensor, pass.steps.length);
    }
    const freed = node.saved.map((each) => each.name);
    pass.steps.push({ node: node.id, grad_outputs: [gradient], grad_inputs: gradInputs, freed, read: {} });
  }

  private accumulate(pass: Pass, last: Map<string, number>): void {
    for (const tensor of this.tensors) {
      const incoming = pass.gradients[tensor.id];
      if (!tensor.is_leaf || !tensor.requires_grad || !incoming) continue;
      const before = this.grads.get(tensor.id) ?? null;
      const after = before ? this.value(tensor.shape) : incoming;
      this.grads.set(tensor.id, after);
      pass.accumulations.push({
        tensor: tensor.id,
        before,
        incoming,
        after,
        step: last.get(tensor.id) ?? -1,
      });
    }
  }

  trace(own: Partial<Trace> = {}): Trace {
    const { tensors, nodes, edges, passes } = this;
    return {
      source: '',
      stdout: '',
      error: null,
      warnings: [],
      tensors,
      nodes,
      edges,
      passes,
      places: [],
      events: [],
      notes: [],
      shown: [...tensors, ...nodes.filter((node) => node.kind !== 'constant' || node.inputs.length)].map(
        (record) => record.id,
      ),
      schema: 2,
      ...own,
    };
  }
}

const SYMBOLS: Record<string, string> = {
  mm: '@',
  mul: '×',
  add: '+',
  sub: '−',
  sum: 'Σ',
  exp: 'exp',
  pow: 'xⁿ',
};

/** `c = a.mm(b)` and a backward pass. */
export function product(): Trace {
  const sketch = new Sketch();
  const a = sketch.leaf('a', [2, 2]);
  const b = sketch.leaf('b', [2, 3]);
  const c = sketch.apply('mm', [a, b], { name: 'c', shape: [2, 3] });
  sketch.backward(c);
  return sketch.trace();
}

/** A leaf used three times, an intermediate used twice, and two passes with and without zeroing between. */
export function shared(zeroed = false): Trace {
  const sketch = new Sketch();
  const x = sketch.leaf('x', [3]);
  const u = sketch.apply('mul', [x, x], { name: 'u' });
  const v = sketch.apply('exp', [u]);
  const y = sketch.apply('add', [u, v], { name: 'y' });
  const z = sketch.apply('mul', [y, x], { name: 'z' });
  sketch.backward(z);
  if (zeroed) sketch.zeroGrad();
  sketch.backward(z);
  return sketch.trace();
}

/** Two outputs written into a constant, as in the coupled example: eight and nine functions on a line. */
export function coupled(): Trace {
  const sketch = new Sketch();
  const x = sketch.leaf('x', [3]);
  let y = sketch.constant({ name: 'y', shape: [2], line: 5, expression: 'torch.zeros(2)' });
  for (const line of [6, 7]) {
    const part = (k: number) => sketch.apply('select', [x], { shape: [], line, expression: `x[${k}]` });
    const powers = sketch.apply('pow', [part(0)], { shape: [], line, expression: 'x[0]**2' });
    const second = sketch.apply('mul', [part(1)], { shape: [], line, expression: '2*x[1]' });
    const sum = sketch.apply('add', [powers, second], { shape: [], line, expression: 'x[0]**2 + 2*x[1]' });
    const third = sketch.apply('mul', [part(2)], { shape: [], line, expression: '4*x[2]' });
    const all = sketch.apply('add', [sum, third], {
      shape: [],
      line,
      expression: 'x[0]**2 + 2*x[1] + 4*x[2]',
    });
    const region = { shape: [2], elements: [line - 6] };
    y = sketch.apply(
      'copy_slices',
      [y, all],
      { name: 'y', line },
      { kind: 'copy_slices', grad_fn: 'CopySlices', region },
    );
  }
  sketch.backward(y);
  const lines = ['', '', '', '', '', 'y[0] = x[0]**2 + 2*x[1] + 4*x[2]', 'y[1] = 2*x[0] + 3*x[1]**2'];
  return sketch.trace({ source: lines.join('\n') });
}

/** A long chain of functions, two on a line, of which the last is named. */
export function chain(lines: number): Trace {
  const sketch = new Sketch();
  const w = sketch.leaf('w', [2, 2]);
  let h = sketch.leaf('h0', [2, 2]);
  for (let k = 1; k <= lines; k += 1) {
    const inner = sketch.apply('mm', [h, w], { line: k + 2, expression: 'h @ w' });
    h = sketch.apply('exp', [inner], { name: `h${k}`, line: k + 2 });
  }
  sketch.backward(h);
  return sketch.trace();
}

/** `backward()` of a matrix without a gradient. */
export function ungiven(): Trace {
  const sketch = new Sketch();
  const a = sketch.leaf('a', [2, 2]);
  const c = sketch.apply('exp', [a], { name: 'c' });
  const text = { en: '', zh: '' };
  return sketch.trace({
    error: {
      type: 'RuntimeError',
      message: 'grad can be implicitly created only for scalar outputs',
      code: 'nonscalar-backward',
      span: spanOf(3),
      explanation: text,
      fix: null,
      tensor: c.id,
      frames: [],
    },
  });
}

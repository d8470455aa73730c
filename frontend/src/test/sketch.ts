import type {
  Edge,
  EventOf,
  GradInput,
  NodeRecord,
  Pass,
  Place,
  Span,
  TensorRecord,
  Trace,
  TraceEvent,
  Value,
} from '../api/types';

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

export function spanOf(line: number): Span {
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
  readonly places: Place[] = [];
  readonly events: TraceEvent[] = [];
  private readonly numbers = stream();
  private readonly grads = new Map<string, Value>();
  /** The id of the place that what comes next belongs to. */
  here: string | null = null;
  line = 0;
  private readonly told: boolean;

  /** A run whose events are told, or one as it was recorded before there were any. */
  constructor({ told = false } = {}) {
    this.told = told;
  }

  private note(event: TraceEvent): void {
    if (this.told) this.events.push(event);
  }

  private get at(): { place: string | null; span: Span } {
    return { place: this.here, span: spanOf(this.line) };
  }

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
      place: this.here,
      versions: [],
      label: maker.name ?? maker.expression ?? id,
      symbol: maker.name?.length === 1 ? maker.name : 'h',
      ...own,
    });
    return { id, shape };
  }

  /** A place within another; its id. */
  place(kind: Place['kind'], title: string, parent: string | null = null, own: Partial<Place> = {}): string {
    const id = `s${this.places.length}`;
    const span = spanOf(this.line);
    this.places.push({ id, kind, title, parent, span, turn: null, variable: null, turns: null, ...own });
    return id;
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
      saved: differentiable
        ? inputs.slice(0, 1).map((input) => ({ name: 'input', tensor: input.id, version: 0 }))
        : [],
      rule: 'r0',
      span: spanOf(this.line),
      scope: [],
      pass_id: null,
      place: this.here,
      region: null,
      call: null,
      read: {},
      ...own,
    });
    inputs.forEach((input, k) => this.connect(input.id, id, input.id, k));
    this.connect(id, out.id, out.id, null);
    this.note({ kind: 'function', node: id, ...this.at });
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
      expanded: null,
    };
  }

  /** Forgets the `.grad` of all leaves. */
  zeroGrad(to: 'none' | 'zeros' = 'none'): void {
    this.line += 1;
    this.grads.clear();
    this.note({ kind: 'zero', tensors: this.leaves(), to, ...this.at });
  }

  private leaves(): string[] {
    return this.tensors.filter((each) => each.is_leaf && each.requires_grad).map(({ id }) => id);
  }

  /** Another value for a leaf, of the event that comes next. */
  private change(id: string): number {
    const tensor = this.tensors.find((each) => each.id === id)!;
    if (tensor.versions.length === 0) tensor.versions.push({ version: 0, value: tensor.value, event: null });
    const version = tensor.versions.length;
    tensor.versions.push({ version, value: this.value(tensor.shape), event: this.events.length });
    return version;
  }

  step(optimizer = 'SGD'): void {
    this.line += 1;
    const tensors = this.leaves();
    tensors.forEach((id) => this.change(id));
    const rule = [{ kind: 'tex' as const, tex: 'p - \\eta\\, g' }];
    this.note({ kind: 'step', optimizer, tensors, rule, state: { lr: 0.1 }, ...this.at });
  }

  write({ id }: Sketched, by: EventOf<'write'>['by'], expression: string, line = this.line + 1): void {
    this.line = line;
    const after = this.change(id);
    this.note({
      kind: 'write',
      tensor: id,
      of: 'value',
      grad: null,
      before: after - 1,
      after,
      by,
      expression,
      ...this.at,
    });
  }

  /** Writes into the `.grad` of a leaf. */
  writeGrad({ id, shape }: Sketched, expression: string): Value {
    const grad = this.tensor({ shape }, { requires_grad: false, is_leaf: true });
    this.change(grad.id);
    const of = { tensor: id, of: 'grad', grad: grad.id } as const;
    this.note({ kind: 'write', ...of, before: 0, after: 1, by: 'in_place', expression, ...this.at });
    return this.tensors.at(-1)!.versions[1]!.value;
  }

  print(text: string): void {
    this.line += 1;
    this.note({ kind: 'print', text, ...this.at });
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
      rows: [],
      ...own,
    };
    const last = new Map<string, number>();
    for (const node of this.nodes.toReversed()) this.stepBack(pass, node, last);
    if (pass.kind === 'backward') this.accumulate(pass, last);
    this.passes.push(pass);
    this.line += 1;
    this.note({ kind: 'pass', pass: pass.id, ...this.at });
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
    const { tensors, nodes, edges, passes, places } = this;
    return {
      source: '',
      stdout: '',
      error: null,
      warnings: [],
      tensors,
      nodes,
      edges,
      passes,
      places,
      events: this.events,
      notes: [],
      rules: {},
      budget: { bytes: null, summarised: 0, turns_left_out: 0 },
      left_out: [],
      local_jacobians: {},
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

import type { Edge, NodeRecord, TensorRecord, Trace } from '../../api/types';
import { innerNames } from './names/inner_names';
import { nameOf, opName, writtenTo } from './names';
import { codeName } from './short_code';
import { rangeOf } from './spans';

/** A tensor or a function of a trace. */
export interface RecordRef {
  kind: 'tensor' | 'node';
  id: string;
  /** The flat index of a cell, where one is meant. */
  element?: number;
  /** Of which array the cell is, where not of the value: of the gradient in a pass, or of `.grad`. */
  of?: 'gradient' | 'grad';
  /** The reader looked for it: it is to be seen, out of the groups that hide it. */
  sought?: true;
}

/** The records of a trace by id, and what the page calls them. */
export class Lookup {
  private readonly tensors: Map<string, TensorRecord>;
  private readonly nodes: Map<string, NodeRecord>;
  private readonly edges: Map<string, Edge>;

  constructor(readonly trace: Trace) {
    this.tensors = new Map(trace.tensors.map((tensor) => [tensor.id, tensor]));
    this.nodes = new Map(trace.nodes.map((node) => [node.id, node]));
    this.edges = new Map(trace.edges.map((edge) => [edge.id, edge]));
  }

  tensor(id: string | null | undefined): TensorRecord | null {
    return (id && this.tensors.get(id)) || null;
  }

  node(id: string | null | undefined): NodeRecord | null {
    return (id && this.nodes.get(id)) || null;
  }

  edge(id: string | null | undefined): Edge | null {
    return (id && this.edges.get(id)) || null;
  }

  /** The program's name for a tensor, or the expression that made it, shortened. */
  name(id: string | null | undefined): string {
    const tensor = this.tensor(id);
    return tensor ? nameOf(tensor, innerNames(this.trace).get(tensor.id)) : '?';
  }

  /** The same in full. */
  fullName({ id, names, expression }: TensorRecord): string {
    return names[0] ?? innerNames(this.trace).get(id) ?? (codeName(expression) || id);
  }

  /** What the page calls a function: its operation, or the place that it writes, `y[0] =`. */
  functionName(id: string | null | undefined): string {
    const node = this.node(id);
    if (!node) return '';
    return node.kind === 'copy_slices' ? writtenTo(node, this.trace) : opName(node.op);
  }

  /** The place in the source of a tensor or a function. */
  span(id: string | null | undefined) {
    return (this.tensor(id) ?? this.node(id))?.span ?? null;
  }

  /** The innermost function, else the tensor, whose expression holds a place in the source (UTF-16 offset). */
  at(offset: number): RecordRef | null {
    const { source, nodes, tensors } = this.trace;
    const found = [...nodes, ...tensors]
      .flatMap(({ id, span }) => (span ? [{ id, ...rangeOf(source, span) }] : []))
      .filter(({ from, to }) => from <= offset && offset <= to)
      .toSorted((x, y) => x.to - x.from - (y.to - y.from));
    const id = found[0]?.id;
    return id === undefined ? null : { kind: this.nodes.has(id) ? 'node' : 'tensor', id };
  }
}

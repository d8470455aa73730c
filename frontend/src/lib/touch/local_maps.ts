import type { LocalJacobian, NodeRecord, Trace } from '../../api/types';
import { toNumber } from '../trace/values';

/** A sparse vector: numbers by flat index. */
export type Sparse = Map<number, number>;

/** Sparse vectors by the tensors whose elements they are numbers for. */
export type Spread = Map<string, Sparse>;

/** One number of a block: an element of the output, one of the input, and the derivative of the first by the second. */
export interface Entry {
  row: number;
  column: number;
  weight: number;
}

/** A block of a function's Jacobian, from the tensor that goes in to the one that comes out. */
export interface Block {
  node: NodeRecord;
  edge: string;
  input: string;
  output: string;
  /** The number of the output. */
  number: number;
  reads: readonly string[];
  byRow: ReadonlyMap<number, readonly Entry[]>;
  byColumn: ReadonlyMap<number, readonly Entry[]>;
}

function grouped(entries: readonly Entry[], key: 'row' | 'column'): Map<number, Entry[]> {
  const groups = new Map<number, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry[key]);
    if (group) group.push(entry);
    else groups.set(entry[key], [entry]);
  }
  return groups;
}

function add(spread: Spread, tensor: string, k: number, x: number): void {
  let sparse = spread.get(tensor);
  if (!sparse) spread.set(tensor, (sparse = new Map()));
  sparse.set(k, (sparse.get(k) ?? 0) + x);
}

/** The Jacobians of the functions of a run, as the service told them, to be multiplied along the graph. */
export class LocalMaps {
  /** In the order in which the functions ran. */
  readonly blocks: readonly Block[];
  private readonly into = new Map<string, Block[]>();
  private readonly outOf = new Map<string, Block[]>();

  constructor(readonly trace: Trace) {
    const edges = new Map(trace.edges.map((edge) => [edge.id, edge.tensor]));
    this.blocks = trace.nodes.flatMap((node) =>
      (trace.local_jacobians[node.id] ?? []).flatMap(
        (told) => blockOf(node, told, edges.get(told.edge)) ?? [],
      ),
    );
    for (const block of this.blocks) {
      (this.into.get(block.output) ?? this.into.set(block.output, []).get(block.output)!).push(block);
      (this.outOf.get(block.input) ?? this.outOf.set(block.input, []).get(block.input)!).push(block);
    }
  }

  /** The blocks that end at a tensor, or begin there. */
  of(tensor: string, direction: 'into' | 'outOf'): readonly Block[] {
    return this[direction].get(tensor) ?? [];
  }

  /** How every earlier element moves one element of a tensor: its derivatives. The tensor itself is left out. */
  pull(tensor: string, k: number): Spread {
    const spread: Spread = new Map([[tensor, new Map([[k, 1]])]]);
    for (const block of this.blocks.toReversed())
      for (const [row, x] of spread.get(block.output) ?? [])
        for (const { column, weight } of block.byRow.get(row) ?? [])
          add(spread, block.input, column, x * weight);
    spread.delete(tensor);
    return spread;
  }

  /**
   * How one element of a tensor moves every later element. The tensor itself is left out; so are functions not `used`. Those
   * that are `skipped` pass on what they get.
   */
  push(
    tensor: string,
    k: number,
    used: (node: string) => boolean = () => true,
    skipped: (node: string) => boolean = () => false,
  ): Spread {
    const spread: Spread = new Map([[tensor, new Map([[k, 1]])]]);
    for (const block of this.blocks) {
      if (!used(block.node.id)) continue;
      const isSkipped = skipped(block.node.id);
      for (const [column, x] of spread.get(block.input) ?? [])
        for (const { row, weight } of block.byColumn.get(column) ?? [])
          add(spread, block.output, row, isSkipped ? x : x * weight);
    }
    spread.delete(tensor);
    return spread;
  }
}

function blockOf(node: NodeRecord, told: LocalJacobian, input: string | undefined): Block | null {
  const output = node.outputs[told.output];
  if (input === undefined || output === undefined) return null;
  const entries = told.values.map((value, k) => ({
    row: told.rows[k]!,
    column: told.columns[k]!,
    weight: toNumber(value),
  }));
  const { edge, reads, output: number } = told;
  const groups = { byRow: grouped(entries, 'row'), byColumn: grouped(entries, 'column') };
  return { node, edge, input, output, number, reads, ...groups };
}

/** Functions that one asks about at most: those next to the element come first. */
const MOST_FUNCTIONS = 400;

/** The functions with gradients that lead to a tensor or away from it, the nearest first. */
export function connected(trace: Trace, tensor: string): string[] {
  const makers = new Map(trace.nodes.flatMap((node) => node.outputs.map((id) => [id, node] as const)));
  const users = new Map<string, NodeRecord[]>();
  for (const node of trace.nodes)
    for (const id of node.inputs) (users.get(id) ?? users.set(id, []).get(id)!).push(node);
  const found = new Map<string, NodeRecord>();
  const walk = (next: (id: string) => readonly NodeRecord[], after: (node: NodeRecord) => string[]): void => {
    const seen = new Set([tensor]);
    const queue = [tensor];
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      for (const node of next(id)) {
        if (node.kind === 'constant') continue;
        found.set(node.id, node);
        const others = after(node).filter((other) => !seen.has(other));
        for (const other of others) seen.add(other);
        queue.push(...others);
      }
  };
  walk(
    (id) => (makers.get(id) ? [makers.get(id)!] : []),
    (node) => node.inputs,
  );
  walk(
    (id) => users.get(id) ?? [],
    (node) => node.outputs,
  );
  return [...found.keys()].slice(0, MOST_FUNCTIONS);
}

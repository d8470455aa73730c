import type { ArrayElement } from '../../../api/types';
import { numel, toNumber, unravel } from '../../trace/values';
import type { ArrayPart, FormulaPart } from '../../rules/formula';

/** An array in a formula, as the formula's names mean it (not transposed). */
export interface Operand {
  shape: number[];
  data: ArrayElement[];
  /** Where the operand is drawn transposed, so are its marks. */
  transposed: boolean;
}

/** A number that stands in a sum, and the cell it was read from: operand name, flat index as drawn, and in the operand itself. */
export interface Factor {
  value: ArrayElement;
  operand: string | null;
  cell: number | null;
  index: number | null;
}

/** `sign · f₁ · f₂ ...` */
export interface Term {
  negative: boolean;
  factors: Factor[];
  /** Factors that divide. */
  divisors: Factor[];
  /** Where in the sum it stands, as an index of the operand on the right: its row, or its column where it is turned. */
  at?: { axis: 'row' | 'column'; index: number };
}

type Tree = readonly unknown[];

/** Sums over more elements are not written out. */
const MOST_SUMMED = 4096;

class UnreadableRule extends Error {}

/** The arrays of a rule by name, and the numbers among its settings. */
export function operandsOf(
  parts: readonly FormulaPart[],
  settings: ReadonlyMap<string, number> = new Map(),
): Map<string, Operand> {
  const operands = new Map<string, Operand>();
  for (const [name, number] of settings) operands.set(name, { shape: [], data: [number], transposed: false });
  for (const part of parts)
    if (part.kind === 'array' && part.value.data) operands.set(part.name, upright(part));
  return operands;
}

function upright({ value, transposed }: ArrayPart): Operand {
  const data = value.data ?? [];
  if (!transposed) return { shape: value.shape, data, transposed };
  const shape = swapped(value.shape);
  const cells = data.map((_, k) => data[ravel(swapped(unravel(k, shape)), value.shape)]!);
  return { shape, data: cells, transposed };
}

function swapped(index: number[]): number[] {
  const last = index.length - 1;
  return last < 1 ? index : [...index.slice(0, -2), index[last]!, index[last - 1]!];
}

function ravel(index: number[], shape: number[]): number {
  return shape.reduce((flat, size, axis) => flat * size + index[axis]!, 0);
}

/** Reads one element of a rule as a sum of products of numbers. */
class ElementReader {
  constructor(private readonly operands: Map<string, Operand>) {}

  shape(tree: Tree): number[] {
    const [op, left, right] = tree as [string, Tree, Tree];
    if (op === 'name') return this.operand(tree).shape;
    if (op === 'number') return [];
    if (op === 'neg') return this.shape(left);
    if (op === 'mT') return swapped(this.shape(left));
    if (op === '@') return product(this.shape(left), this.shape(right));
    if (op === '+' || op === '-' || op === '*' || op === '/')
      return broadcast(this.shape(left), this.shape(right));
    throw new UnreadableRule();
  }

  terms(tree: Tree, index: number[]): Term[] {
    const [op, left, right] = tree as [string, Tree, Tree];
    if (op === 'name') return [this.read(tree, index)];
    if (op === 'number') return [number(tree)];
    if (op === 'neg') return this.terms(left, index).map(negated);
    if (op === 'mT') return this.terms(left, swapped(index));
    if (op === '@') return this.contracted(left, right, index);
    if (op === '+') return [...this.terms(left, index), ...this.terms(right, index)];
    if (op === '-') return [...this.terms(left, index), ...this.terms(right, index).map(negated)];
    if (op === '*') return [times(this.single(left, index), this.single(right, index))];
    if (op === '/') return [times(this.single(left, index), inverse(this.single(right, index)))];
    throw new UnreadableRule();
  }

  private operand(tree: Tree): Operand {
    const operand = this.operands.get(String(tree[1]));
    if (!operand) throw new UnreadableRule();
    return operand;
  }

  private read(tree: Tree, index: number[]): Term {
    const { shape, data, transposed } = this.operand(tree);
    const own = aligned(index, shape);
    const flat = ravel(own, shape);
    const drawn = transposed ? ravel(swapped(own), swapped(shape)) : flat;
    return single({ value: data[flat]!, operand: String(tree[1]), cell: drawn, index: flat });
  }

  private single(tree: Tree, index: number[]): Term {
    const [term, ...more] = this.terms(tree, aligned(index, this.shape(tree)));
    if (!term || more.length > 0) throw new UnreadableRule();
    return term;
  }

  private contracted(left: Tree, right: Tree, index: number[]): Term[] {
    const [a, b] = [this.shape(left), this.shape(right)];
    if (a.length !== 2 || b.length !== 2) throw new UnreadableRule();
    const axis = right[0] === 'mT' ? 'column' : 'row';
    return Array.from({ length: a[1]! }, (_, k) => ({
      ...times(this.single(left, [index[0]!, k]), this.single(right, [k, index[1]!])),
      at: { axis, index: k },
    }));
  }

  /** The sum over what broadcasting has added to a shape. */
  summed(tree: Tree, index: number[], shape: number[]): Term[] {
    const whole = this.shape(tree);
    const gap = whole.length - shape.length;
    if (gap < 0 || numel(whole) > MOST_SUMMED) throw new UnreadableRule();
    const found: Term[] = [];
    for (let k = 0; k < numel(whole); k += 1) {
      const at = unravel(k, whole);
      if (!shape.every((size, axis) => size === 1 || at[axis + gap] === index[axis])) continue;
      const row = whole.length === 2 && whole[0]! > 1 && at[0] !== undefined ? at[0] : null;
      const term = this.single(tree, at);
      found.push(row === null ? term : { ...term, at: { axis: 'row', index: row } });
    }
    return found;
  }
}

function product(left: number[], right: number[]): number[] {
  if (left.length !== 2 || right.length !== 2) throw new UnreadableRule();
  return [left[0]!, right[1]!];
}

function broadcast(left: number[], right: number[]): number[] {
  const [long, short] = left.length >= right.length ? [left, right] : [right, left];
  const gap = long.length - short.length;
  return long.map((size, axis) => (size === 1 ? (short[axis - gap] ?? 1) : size));
}

/** An index into a result as an index into an operand that was broadcast to it. */
function aligned(index: number[], shape: number[]): number[] {
  return shape.map((size, axis) => (size === 1 ? 0 : index[index.length - shape.length + axis]!));
}

function single(factor: Factor): Term {
  return { negative: false, factors: [factor], divisors: [] };
}

function number(tree: Tree): Term {
  return single({ value: tree[1] as ArrayElement, operand: null, cell: null, index: null });
}

function negated(term: Term): Term {
  return { ...term, negative: !term.negative };
}

function inverse(term: Term): Term {
  return { ...term, factors: term.divisors, divisors: term.factors };
}

function times(left: Term, right: Term): Term {
  return {
    negative: left.negative !== right.negative,
    factors: [...left.factors, ...right.factors],
    divisors: [...left.divisors, ...right.divisors],
  };
}

/** What a term adds. */
export function termValue({ negative, factors, divisors }: Term): number {
  const part = (all: Factor[]) => all.reduce((product, { value }) => product * toNumber(value), 1);
  return ((negative ? -1 : 1) * part(factors)) / part(divisors);
}

function valueOf(terms: Term[]): number {
  return terms.reduce((sum, term) => sum + termValue(term), 0);
}

/**
 * The sum behind element `k` of a grad_input, from the rule's tree and its arrays. Null where the rule is not made of
 * sums and products, or where the sum does not give `expected` (to float32's precision): then it is not the rule.
 */
export function elementSum(
  tree: readonly unknown[] | null,
  operands: Map<string, Operand>,
  result: { shape: number[]; data: readonly ArrayElement[] },
  k: number,
): Term[] | null {
  if (!tree || k < 0 || k >= numel(result.shape)) return null;
  try {
    const reader = new ElementReader(operands);
    const terms = termsOf(reader, tree, unravel(k, result.shape), result.shape);
    if (!terms) return null;
    return agrees(valueOf(terms), toNumber(result.data[k]!)) ? terms : null;
  } catch (error) {
    if (error instanceof UnreadableRule) return null;
    throw error;
  }
}

/** What a tree gives for an element, whether it is the rule or not; null where it is not made of sums and products. */
export function elementBy(
  tree: readonly unknown[],
  operands: Map<string, Operand>,
  shape: number[],
  k: number,
): number | null {
  try {
    const terms = termsOf(new ElementReader(operands), tree, unravel(k, shape), shape);
    return terms && valueOf(terms);
  } catch (error) {
    if (error instanceof UnreadableRule) return null;
    throw error;
  }
}

function termsOf(reader: ElementReader, tree: Tree, index: number[], shape: number[]): Term[] | null {
  if (tree[0] === 'call' && tree[1] === 'sum_to_size') return reader.summed(tree[2] as Tree, index, shape);
  return reader.shape(tree).join() === shape.join() ? reader.terms(tree, index) : null;
}

function agrees(found: number, expected: number): boolean {
  if (!Number.isFinite(expected)) return Object.is(found, expected);
  return Math.abs(found - expected) <= 1e-4 * Math.max(1, Math.abs(expected));
}

import type { ArrayElement, NodeRecord, Pass, Trace } from '../../api/types';
import { turnerOf } from '../rules/layer';
import type { Lookup } from '../trace/lookup';
import { toNumber } from '../trace/values';
import { arrayOf, elementOf, keyOf, type ElementRef, type Light } from './element';
import type { Block, LocalMaps, Spread } from './local_maps';
import { readCells } from './read_cells';

/** One product of a sum: a number on the page times its coefficient. */
export interface Product {
  cell: ElementRef;
  /** The number of the cell; null where the trace does not have it. */
  value: number | null;
  weight: number;
  /** The function whose Jacobian the coefficient is from; null of a gradient that was given. */
  node: NodeRecord | null;
}

/** What is added first: what `.grad` held before, or the gradient that the pass began with. */
export interface Start {
  kind: 'before' | 'given';
  value: number;
}

/** What is known of one element. */
export interface Picked {
  ref: ElementRef;
  value: ArrayElement | null;
  /**
   * `sum`: the products and the start give the element. `slope`: each coefficient says how the element moves with the
   * cell, and no sum gives the element, for the function is not linear. `changed`: the pass has another number than the sum,
   * as after a hook. `given`: the program made it, or it is a gradient that the pass began with. `unknown`: its function
   * was not told.
   */
  kind: 'sum' | 'slope' | 'changed' | 'given' | 'unknown';
  start: Start | null;
  products: Product[];
  /** What the products and the start add up to. */
  total: number;
  /** Everything that the element depends on, and everything that depends on it, with coefficients. */
  from: Light[];
  to: Light[];
}

/** To float32's precision, over as many roundings as a pass has. */
export function agree(x: number, y: number, scale = 1): boolean {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return Object.is(x, y);
  return Math.abs(x - y) <= 1e-4 * Math.max(scale, Math.abs(x), Math.abs(y));
}

function sumOf(products: readonly Product[]): number {
  return products.reduce((sum, { value, weight }) => sum + (value ?? NaN) * weight, 0);
}

function largest(products: readonly Product[]): number {
  return products.reduce((most, { value, weight }) => Math.max(most, Math.abs((value ?? 0) * weight)), 0);
}

/** What an element depends on and what depends on it. `maps` are those of the functions around it. */
export function pick(lookup: Lookup, maps: LocalMaps, pass: Pass | null, ref: ElementRef): Picked {
  return ref.of === 'value' ? pickValue(lookup, maps, ref) : pickGradient(lookup, maps, pass, ref);
}

// -- values ---------------------------------------------------------------------------------------------------------

function pickValue(lookup: Lookup, maps: LocalMaps, ref: ElementRef): Picked {
  const { trace } = maps;
  const record = trace.tensors.find(({ id }) => id === ref.tensor);
  const value = elementOf(trace, null, ref);
  const into = maps.of(ref.tensor, 'into');
  const products = into.flatMap((block) => productsOf(trace, block, ref.k));
  const linear = linearPart(trace, into, ref);
  const near = new Set(
    products.flatMap((product) => upright(lookup, maps, product)).map(({ cell }) => keyOf(cell)),
  );
  const isMade = record?.node !== null && record?.node !== undefined;
  const kind = linear ? 'sum' : products.length > 0 ? 'slope' : isMade ? 'unknown' : 'given';
  return {
    ref,
    value,
    kind,
    start: null,
    products: (linear ?? products).flatMap((product) => upright(lookup, maps, product)),
    total: linear ? sumOf(linear) : NaN,
    from: lights(maps.pull(ref.tensor, ref.k), () => 'value', near),
    to: lights(
      maps.push(ref.tensor, ref.k),
      () => 'value',
      nearOf(maps.of(ref.tensor, 'outOf'), ref.k, () => 'value'),
    ),
  };
}

/** A product with a weight that was turned round for its layer, as one with the weight itself. */
function upright(lookup: Lookup, maps: LocalMaps, product: Product): Product[] {
  if (!turnerOf(lookup, product.cell.tensor)) return [product];
  return maps.of(product.cell.tensor, 'into').flatMap(({ input, byRow }) =>
    (byRow.get(product.cell.k) ?? []).map(({ column }) => ({
      ...product,
      cell: { ...product.cell, tensor: input, k: column },
    })),
  );
}

function productsOf(trace: Trace, block: Block, row: number): Product[] {
  return (block.byRow.get(row) ?? []).map(({ column, weight }) => {
    const cell: ElementRef = { tensor: block.input, of: 'value', k: column };
    const value = elementOf(trace, null, cell);
    return { cell, value: value === null ? null : toNumber(value), weight, node: block.node };
  });
}

/**
 * The products by which a function that is linear in some of its inputs makes an element: their coefficients do not depend on
 * these inputs, and together with them give the element. A function that is not said to be linear counts as such where the
 * same holds for all of its elements. Null where there are none.
 */
function linearPart(trace: Trace, blocks: readonly Block[], ref: ElementRef): Product[] | null {
  for (const first of blocks) {
    const group: Block[] = [];
    for (const block of [first, ...blocks.filter((each) => each !== first)]) {
      const inputs = new Set([...group, block].map(({ input }) => input));
      const read = [...group, block].flatMap(({ reads }) => reads);
      if (!read.some((id) => inputs.has(id) || id === ref.tensor)) group.push(block);
    }
    const products = group.flatMap((block) => productsOf(trace, block, ref.k));
    if (group.length > 0 && gives(trace, products, ref)) return products;
    if (isHomogeneous(trace, [first], ref)) return productsOf(trace, first, ref.k);
  }
  return null;
}

function gives(trace: Trace, products: readonly Product[], ref: ElementRef): boolean {
  const value = elementOf(trace, null, ref);
  return value !== null && agree(sumOf(products), toNumber(value), largest(products));
}

function isHomogeneous(trace: Trace, blocks: readonly Block[], ref: ElementRef): boolean {
  const data = arrayOf(trace, null, ref)?.data ?? [];
  const numbers = new Set(data.map(toNumber));
  if (numbers.size < 2 || data.length > 256) return false;
  return data.every((_, k) =>
    gives(
      trace,
      blocks.flatMap((block) => productsOf(trace, block, k)),
      { ...ref, k },
    ),
  );
}

// -- gradients ------------------------------------------------------------------------------------------------------

function pickGradient(lookup: Lookup, maps: LocalMaps, pass: Pass | null, ref: ElementRef): Picked {
  const steps = new Map(pass?.steps.map((step) => [step.node, step]));
  const sources = sourcesOf(lookup, maps, pass, ref.tensor, ref.k);
  const products = sources.map(({ block, row, weight }): Product => {
    const upstream = steps.get(block.node.id)?.grad_outputs[block.number];
    const value = upstream ? (upstream.data?.[row] ?? null) : 0;
    const cell: ElementRef = { tensor: block.output, of: 'gradient', k: row };
    return { cell, value: value === null ? null : toNumber(value), weight, node: block.node };
  });
  const start = startOf(pass, ref);
  const total = (start?.value ?? 0) + sumOf(products);
  const value = elementOf(maps.trace, pass, ref);
  const near = new Set(products.map(({ cell }) => keyOf(cell)));
  const kindOf = (id: string) => kindIn(pass, id);
  const isShown = ({ of, tensor }: Light) => of === 'value' || pass?.gradients[tensor] !== undefined;
  const read = sources.flatMap(({ block, column }) => readCells(lookup, maps, pass, block, column));
  return {
    ref,
    value,
    kind: kindOfGradient(products, start, total, value, isTold(lookup, maps, pass, ref.tensor)),
    start,
    products,
    total,
    from: [
      ...lights(
        maps.push(ref.tensor, ref.k, (node) => steps.has(node)),
        kindOf,
        near,
      ),
      ...unique(read),
    ].filter(isShown),
    to: lights(
      maps.pull(ref.tensor, ref.k),
      kindOf,
      nearOf(maps.of(ref.tensor, 'into'), ref.k, kindOf),
    ).filter(isShown),
  };
}

/** A place in a block: the row is an element of the output, the column one of the input that the gradient comes to. */
interface Source {
  block: Block;
  row: number;
  column: number;
  weight: number;
}

/** What sends something to an element in a pass. A function that only turns a weight round for its layer is looked through. */
function sourcesOf(lookup: Lookup, maps: LocalMaps, pass: Pass | null, tensor: string, k: number): Source[] {
  return sending(maps, pass, tensor).flatMap((block) =>
    (block.byColumn.get(k) ?? []).flatMap(({ row, weight }) =>
      turnerOf(lookup, block.output)
        ? sourcesOf(lookup, maps, pass, block.output, row)
        : [{ block, row, column: k, weight }],
    ),
  );
}

function sending(maps: LocalMaps, pass: Pass | null, tensor: string): Block[] {
  const sent = new Set(pass?.steps.flatMap((step) => step.grad_inputs.map(({ edge }) => edge)));
  return maps.of(tensor, 'outOf').filter(({ edge }) => sent.has(edge));
}

/** Whether the Jacobians of all functions that send something to a tensor are known. */
function isTold(lookup: Lookup, maps: LocalMaps, pass: Pass | null, tensor: string): boolean {
  const known = sending(maps, pass, tensor);
  const sent = pass?.steps.flatMap((step) => step.grad_inputs.map(({ edge }) => edge)) ?? [];
  return (
    sent
      .filter((edge) => lookup.edge(edge)?.tensor === tensor)
      .every((edge) => known.some((block) => block.edge === edge)) &&
    known
      .filter((block) => turnerOf(lookup, block.output))
      .every((block) => isTold(lookup, maps, pass, block.output))
  );
}

function unique(lights: readonly Light[]): Light[] {
  return [...new Map(lights.map((light) => [keyOf(light), light])).values()];
}

function kindOfGradient(
  products: readonly Product[],
  start: Start | null,
  total: number,
  value: ArrayElement | null,
  isTold: boolean,
): Picked['kind'] {
  if (!isTold) return 'unknown';
  if (products.length === 0 && (value === null || start?.kind === 'given')) return 'given';
  if (value === null) return 'sum';
  return agree(total, toNumber(value), largest(products)) ? 'sum' : 'changed';
}

/** What comes before the products. */
function startOf(pass: Pass | null, { tensor, of, k }: ElementRef): Start | null {
  const root = pass?.roots.find((each) => each.tensor === tensor)?.gradient.data?.[k];
  const before = of === 'grad' ? pass?.accumulations.findLast((sum) => sum.tensor === tensor)?.before : null;
  const held = before?.data?.[k];
  if (held !== undefined) return { kind: 'before', value: toNumber(held) + toNumber(root ?? 0) };
  return root === undefined ? null : { kind: 'given', value: toNumber(root) };
}

/** A leaf keeps its gradient in `.grad`. */
function kindIn(pass: Pass | null, tensor: string): ElementRef['of'] {
  return pass?.accumulations.some((sum) => sum.tensor === tensor) ? 'grad' : 'gradient';
}

// -- what lights up -------------------------------------------------------------------------------------------------

function nearOf(
  blocks: readonly Block[],
  k: number,
  kind: (tensor: string) => ElementRef['of'],
): Set<string> {
  return new Set(
    blocks.flatMap((block) => [
      ...(block.byColumn.get(k) ?? []).map(({ row }) =>
        keyOf({ tensor: block.output, of: kind(block.output), k: row }),
      ),
      ...(block.byRow.get(k) ?? []).map(({ column }) =>
        keyOf({ tensor: block.input, of: kind(block.input), k: column }),
      ),
    ]),
  );
}

function lights(
  spread: Spread,
  of: (tensor: string) => ElementRef['of'],
  near: ReadonlySet<string>,
): Light[] {
  return [...spread].flatMap(([tensor, sparse]) =>
    [...sparse].map(([k, weight]) => {
      const ref = { tensor, of: of(tensor), k };
      return { ...ref, weight, near: near.has(keyOf(ref)) };
    }),
  );
}

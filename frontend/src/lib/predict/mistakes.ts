import type { Pass } from '../../api/types';
import type { LocalMaps, Spread } from '../touch/local_maps';
import type { Picked } from '../touch/pick';
import { wrongly } from './wrong_rules';
import { opName } from '../trace/names';
import type { Lookup } from '../trace/lookup';
import { numel, toNumber, unravel } from '../trace/values';
import { isRight, type Question } from './question';

/** What a wrong number would have been right for. */
export interface Mistake {
  kind:
    | 'sign'
    | 'twice'
    | 'onlyBefore'
    | 'withoutBefore'
    | 'transposed'
    | 'otherCell'
    | 'upstreamLeftOut'
    | 'upstreamOnly'
    | 'onePath'
    | 'oneTerm'
    | 'missingTerm'
    | 'notSummed'
    | 'untransposed'
    | 'elementwise'
    | 'chain'
    | 'mean'
    | 'value'
    | 'zero'
    | 'rounded';
  /** A number, a name or an index that the words need. */
  detail: string;
  /** The cell that it would have been right for. */
  cell: number | null;
}

/** What is known of the run behind a question; `picked` tells of an element of the gradient that is asked for. */
export interface Evidence {
  lookup: Lookup;
  maps: LocalMaps;
  question: Question;
  picked: (k: number) => Picked;
}

type Candidate = Omit<Mistake, 'cell'> & { number: number; cell?: number };

/** Every known mistake that gives a wrong number, the likeliest first. */
export function mistakesFor(evidence: Evidence, k: number, typed: number): Mistake[] {
  const { answers } = evidence.question;
  if (isRight(typed, answers[k]!)) return [];
  return candidates(evidence, k)
    .filter(({ number }) => Number.isFinite(number) && isRight(typed, number))
    .map(({ kind, detail, cell }) => ({ kind, detail, cell: cell ?? null }));
}

/** The numbers that known mistakes lead to, the likeliest mistakes first. */
export function candidates(evidence: Evidence, k: number): Candidate[] {
  const { question } = evidence;
  const answer = question.answers[k]!;
  const picked = evidence.picked(k);
  const incoming = answer - (picked.start?.kind === 'before' ? picked.start.value : 0);
  return [
    ...accumulated(picked, answer, incoming),
    ...turned(question, k),
    ...upstream(evidence, picked),
    ...paths(evidence, picked),
    ...broadcast(evidence, picked),
    ...rules(evidence, picked, k),
    ...terms(picked),
    ...chained(evidence, k),
    ...averaged(evidence, incoming),
    { kind: 'sign', detail: '', number: -answer },
    { kind: 'zero', detail: '', number: 0 },
    ...others(question, k),
    ...values(evidence, k),
    { kind: 'rounded', detail: '', number: Number(answer.toPrecision(2)) },
  ];
}

function accumulated({ start }: Picked, answer: number, incoming: number): Candidate[] {
  const found: Candidate[] = [];
  if (start?.kind === 'before') {
    found.push({ kind: 'withoutBefore', detail: '', number: incoming });
    found.push({ kind: 'onlyBefore', detail: '', number: start.value });
  }
  found.push({ kind: 'twice', detail: '', number: answer + incoming });
  return found;
}

/** The element of the transposed gradient that stands in the same place. */
function turned({ shape, answers }: Question, k: number): Candidate[] {
  if (shape.length !== 2 || shape.some((size) => size < 2)) return [];
  const [rows, columns] = shape as [number, number];
  // Of a square matrix the other cell, of another one the same place in the numbers of the transposed one.
  const [row, column] = rows === columns ? unravel(k, shape) : unravel(k, [columns, rows]);
  const cell = column! * columns + row!;
  return cell === k || cell >= answers.length
    ? []
    : [{ kind: 'transposed', detail: '', cell, number: answers[cell]! }];
}

function upstream({ lookup }: Evidence, { products, start }: Picked): Candidate[] {
  if (products.length === 0) return [];
  const plain = products.reduce((sum, { weight }) => sum + weight, start?.value ?? 0);
  const passed = products.reduce((sum, { value }) => sum + (value ?? NaN), start?.value ?? 0);
  const names = [...new Set(products.map(({ cell }) => lookup.name(cell.tensor)))];
  return [
    { kind: 'upstreamLeftOut', detail: names.join(', '), number: plain },
    { kind: 'upstreamOnly', detail: functionNames(products), number: passed },
  ];
}

function functionNames(products: Picked['products']): string {
  return [...new Set(products.map(({ node }) => opName(node?.op ?? '')))].join(', ');
}

/** What comes along one of several ways. */
function paths({ lookup }: Evidence, { products }: Picked): Candidate[] {
  const sums = new Map<string, number>();
  for (const { node, value, weight } of products)
    sums.set(node?.id ?? '', (sums.get(node?.id ?? '') ?? 0) + (value ?? NaN) * weight);
  if (sums.size < 2) return [];
  return [...sums].map(([node, number]) => ({ kind: 'onePath', detail: lookup.functionName(node), number }));
}

function terms({ products, start }: Picked): Candidate[] {
  if (products.length < 2) return [];
  const numbers = products.map(({ value, weight }) => (value ?? NaN) * weight);
  const total = numbers.reduce((sum, x) => sum + x, start?.value ?? 0);
  return numbers
    .flatMap((number): Candidate[] => [
      { kind: 'oneTerm', detail: '', number },
      { kind: 'missingTerm', detail: '', number: total - number },
    ])
    .toSorted((x, y) => x.kind.localeCompare(y.kind));
}

/** One element of the gradient before broadcasting was undone. */
function broadcast({ question, lookup }: Evidence, { ref }: Picked): Candidate[] {
  const pass = lookup.trace.passes[question.pass];
  const sent = pass?.steps.flatMap((step) => step.grad_inputs) ?? [];
  return sent
    .filter(({ edge, expanded }) => expanded && lookup.edge(edge)?.tensor === ref.tensor)
    .flatMap(({ expanded, value }) => addends(expanded!, value.shape, ref.k))
    .map((number) => ({ kind: 'notSummed', detail: '', number }));
}

function addends(whole: NonNullable<Pass['gradient']>, shape: number[], k: number): number[] {
  const index = unravel(k, shape);
  const gap = whole.shape.length - shape.length;
  return (whole.data ?? []).flatMap((x, cell) => {
    const at = unravel(cell, whole.shape);
    return shape.every((size, axis) => size === 1 || at[axis + gap] === index[axis]) ? [toNumber(x)] : [];
  });
}

/** The rule of the function with an operand that was not transposed, or with products element by element. */
function rules({ lookup, question }: Evidence, { products }: Picked, k: number): Candidate[] {
  const pass = lookup.trace.passes[question.pass];
  return [...new Set(products.map(({ node }) => node?.id))].flatMap((id) => {
    const step = pass?.steps.find(({ node }) => node === id);
    const edges = step?.grad_inputs.filter(({ edge }) => lookup.edge(edge)?.tensor === question.tensor) ?? [];
    return edges.flatMap(({ edge }) =>
      (['untransposed', 'elementwise'] as const).flatMap((kind) =>
        wrongly(lookup, step!, edge, k, kind).map((number) => ({ kind, detail: '', number })),
      ),
    );
  });
}

/** The gradient with the derivative of one function on the way left out, where the function keeps the shape. */
function chained({ lookup, maps, question }: Evidence, k: number): Candidate[] {
  const pass = lookup.trace.passes[question.pass]!;
  const used = new Set(pass.steps.map(({ node }) => node));
  const onTheWay = maps.push(question.tensor, k, (node) => used.has(node));
  const functions = maps.blocks.filter(
    (block) =>
      used.has(block.node.id) &&
      onTheWay.has(block.output) &&
      [...block.byRow].every(([row, entries]) => entries.every(({ column }) => column === row)),
  );
  return functions.slice(0, 24).map(({ node }) => ({
    kind: 'chain',
    detail: lookup.functionName(node.id),
    number: weigh(
      pass,
      maps.push(
        question.tensor,
        k,
        (id) => used.has(id),
        (id) => id === node.id,
      ),
    ),
  }));
}

function weigh(pass: Pass, spread: Spread): number {
  let sum = 0;
  for (const { tensor, gradient } of pass.roots)
    for (const [row, weight] of spread.get(tensor) ?? [])
      sum += toNumber(gradient.data?.[row] ?? 'NaN') * weight;
  return sum;
}

/** A mean of n elements has 1/n in its rule. */
function averaged({ lookup, maps, question }: Evidence, incoming: number): Candidate[] {
  const pass = lookup.trace.passes[question.pass]!;
  const steps = new Set(pass.steps.map(({ node }) => node));
  const sizes = maps.blocks
    .filter(({ node }) => steps.has(node.id))
    .filter(({ node }) => /mean/.test(node.op) || node.attributes.reduction === 'mean')
    .map(({ input, output }) => numel(lookup.tensor(input)!.shape) / numel(lookup.tensor(output)!.shape));
  return [...new Set(sizes)]
    .filter((n) => n > 1)
    .map((n) => ({ kind: 'mean', detail: String(n), number: incoming * n }));
}

function others({ answers }: Question, k: number): Candidate[] {
  return answers.flatMap((number, cell) =>
    cell === k ? [] : [{ kind: 'otherCell', detail: '', cell, number }],
  );
}

/** The tensor's own element in place of its gradient. */
function values({ lookup, question }: Evidence, k: number): Candidate[] {
  const own = lookup.tensor(question.tensor)?.value.data?.[k];
  return own === undefined ? [] : [{ kind: 'value', detail: '', number: toNumber(own) }];
}

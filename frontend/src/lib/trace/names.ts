import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import { codeName, oneLine, shortName } from './short_code';
import { unravel } from './values';

/** Longest expression that serves as the name of a tensor without one. */
const LONGEST_NAME = 18;

/** What the page calls a tensor. */
export function nameOf({ names, expression, id }: TensorRecord, inner?: string): string {
  return shortName(names[0] ?? inner ?? codeName(expression), LONGEST_NAME) || id;
}

/** Operations whose name is another in a program, or too long for a picture. */
const CALLED: Record<string, string> = {
  affine: 'linear',
  bag: 'embedding_bag',
  bernoulli_number: 'bernoulli',
  binary_cross_entropy: 'bce',
  binary_cross_entropy_with_logits: 'bce_with_logits',
  conjugate: 'conj',
  ctc_costs: 'ctc_loss',
  euclidean_dist: 'cdist',
  filled: 'fill',
  flash_attention: 'attention',
  index_accumulate: 'index_put',
  is_finite: 'isfinite',
  laid_out: 'clone',
  pack_rows: 'pack_padded_sequence',
  prelu_kernel: 'prelu',
  reshape_alias: 'view',
  reversed: 'flip',
  round_whole: 'round',
  scaled_dot_product_attention: 'attention',
  sliced: 'slice',
  spread: 'expand',
  spread_rows: 'pad_packed_sequence',
  sum_like: 'sum',
  to_dtype: 'to',
  unsafe_view: 'view',
};

/** Overloads of an operation, kernels of it and forms that write in place: the engine tells them apart by these endings. */
const FORMS =
  /_(scalar|tensor|all|dims?|list|base|rows?|places|layer|src|value|value_reduce|exact|tanh|right|written|inplace|copied|stable|decimals|dtype|rounded|mixed|mean|std|mean_std)$/;
/** Names that end like that and mean it. */
const WHOLE = new Set(['std_mean', 'var_mean']);

/** What a reader calls an operation. */
export function opName(op: string): string {
  const name = CALLED[op] ?? op;
  if (WHOLE.has(name)) return name;
  const base = name.replace(FORMS, '');
  return (CALLED[base] ?? base).replace(FORMS, '').replace(/^(norm|split)_.*$/, '$1');
}

/** What a CopySlices writes: `y[0] =`. */
export function writtenTo(node: NodeRecord, trace: Trace): string {
  const line = trace.source.split('\n')[(node.span?.line ?? 0) - 1] ?? '';
  const target = /^\s*([^=]*\])\s*[-+*/]?=(?!=)/.exec(line.slice(0, 400))?.[1];
  return target ? `${oneLine(target)} =` : node.op;
}

/** `[0, 1]`; nothing for a scalar. */
export function indexText(shape: number[], k: number): string {
  return shape.length > 0 ? `[${unravel(k, shape).join(', ')}]` : '';
}

/** Which pass of the run the `k`th of a trace is, from 1: of a long run some are left out. */
export function passNumber({ passes }: Pick<Trace, 'passes'>, k: number): number {
  return Number(passes[k]?.id.slice(1) ?? k) + 1;
}

import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import type { RecordRef } from './lookup';
import { opName } from './names';
import { codeName } from './short_code';
import { innerNames, turningNodes } from './names/inner_names';

/** One thing that a reader may look for. */
export interface Found extends RecordRef {
  kind: 'tensor' | 'node';
  /** What it is called, and what stands beside it: a shape, a grad_fn. */
  title: string;
  about: string;
  line: number | null;
}

const MOST = 8;

/** How well a text fits a query: from its beginning, from the beginning of a part, somewhere; null where it does not. */
function fit(text: string, query: string): number | null {
  const at = text.toLowerCase().indexOf(query);
  if (at < 0) return null;
  if (at === 0) return text.length === query.length ? 0 : 1;
  return /[\w]/.test(text[at - 1] ?? '') ? 3 : 2;
}

function best(texts: readonly (string | null | undefined)[], query: string): number | null {
  const fits = texts.flatMap((text) => (text ? (fit(text, query) ?? []) : []));
  return fits.length > 0 ? Math.min(...fits) : null;
}

function ofTensor({ id, names, expression, shape, span }: TensorRecord, inner?: string): Found {
  const title = names[0] ?? inner ?? codeName(expression);
  return { kind: 'tensor', id, title, about: shape.join('×'), line: span?.line ?? null };
}

function ofNode({ id, op, grad_fn, span }: NodeRecord): Found {
  return { kind: 'node', id, title: opName(op), about: grad_fn ?? '', line: span?.line ?? null };
}

/**
 * Tensors and functions by name, expression, operation, `grad_fn` or number of the line, the best first. Of what is the
 * same in each turn of a loop the first is found.
 */
export function search(trace: Trace, text: string): Found[] {
  const query = text.trim().toLowerCase();
  if (query === '') return [];
  const line = /^(?:line\s*|第\s*)?(\d+)(?:\s*行)?$/.exec(query)?.[1];
  const found = new Map<string, { rank: number; item: Found }>();
  const add = (item: Found, rank: number | null) => {
    const onLine = line !== undefined && item.line === Number(line);
    const ranked = onLine ? 0 : rank;
    const key = `${item.kind} ${item.title} ${item.line}`;
    if (ranked !== null && item.title !== '' && !found.has(key)) found.set(key, { rank: ranked, item });
  };
  const shown = new Set(trace.shown);
  const inner = innerNames(trace);
  const turning = turningNodes(trace);
  for (const tensor of trace.tensors) {
    if (!shown.has(tensor.id) || turning.has(tensor.node ?? '')) continue;
    const item = ofTensor(tensor, inner.get(tensor.id));
    add(item, best([...tensor.names, item.title], query));
  }
  for (const node of trace.nodes)
    if (shown.has(node.id) && !turning.has(node.id))
      add(ofNode(node), best([opName(node.op), node.op, node.grad_fn], query));
  return [...found.values()]
    .toSorted((x, y) => x.rank - y.rank)
    .slice(0, MOST)
    .map(({ item }) => item);
}

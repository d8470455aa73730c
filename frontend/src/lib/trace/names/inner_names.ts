import type { NodeRecord, Place, Span, TensorRecord, Trace } from '../../../api/types';
import { opName } from '../names';
import { moduleParts, placesOf } from '../places';

const known = new WeakMap<Trace, Map<string, string>>();

function keyOf(span: Span | null): string {
  return span ? [span.line, span.column, span.end_line, span.end_column].join() : '';
}

/** The submodule of the library within the call that the program wrote: `[0]` of `model(x)`. */
function moduleWithin(trace: Trace, node: NodeRecord): string {
  const around = placesOf(trace).around(node.place);
  const isSame = ({ kind, span }: Place) =>
    kind === 'module' && span?.line === node.span?.line && span?.column === node.span?.column;
  const path = around.slice(around.findLastIndex((place) => !isSame(place)) + 1);
  const names = path.slice(1).map(({ title }) => moduleParts(title).name);
  return names.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
}

/** The functions that only turn a weight round for its layer: what they make has no name of its own. */
export function turningNodes(trace: Trace): Set<string> {
  const tensors = new Map(trace.tensors.map((tensor) => [tensor.id, tensor]));
  const turning = trace.nodes.filter(({ op, inputs, outputs }) => {
    const [input, output] = [tensors.get(inputs[0] ?? ''), tensors.get(outputs[0] ?? '')];
    const isParameter = input?.is_leaf && input.requires_grad && input.names[0]?.includes('.');
    return (op === 't' || op === 'transpose') && isParameter && output?.names.length === 0;
  });
  return new Set(turning.map(({ id }) => id));
}

/** Tensors that another function of the same expression goes on with: the expression is the name of what that makes. */
function innerTensors(trace: Trace): { tensor: TensorRecord; node: NodeRecord }[] {
  const tensors = new Map(trace.tensors.map((tensor) => [tensor.id, tensor]));
  const nodes = new Map(trace.nodes.map((node) => [node.id, node]));
  const inner = new Set<string>();
  for (const { inputs, outputs, span } of trace.nodes) {
    const made = tensors.get(outputs[0] ?? '');
    if (!span || !made) continue;
    for (const id of inputs) {
      const input = tensors.get(id);
      const isSame = input?.expression === made.expression && keyOf(input.span) === keyOf(span);
      if (isSame && input.names.length === 0) inner.add(id);
    }
  }
  return trace.tensors.flatMap((tensor) => {
    const node = inner.has(tensor.id) ? nodes.get(tensor.node ?? '') : undefined;
    return node ? [{ tensor, node }] : [];
  });
}

/**
 * Names of the tensors that stand within an expression, by their ids: of what a module within it made `D[2](…)`, of what a
 * function made `log_softmax(…)`. Within one expression of one turn each has its own.
 */
export function innerNames(trace: Trace): ReadonlyMap<string, string> {
  const before = known.get(trace);
  if (before) return before;
  const turning = turningNodes(trace);
  const inner = innerTensors(trace).filter(({ node }) => !turning.has(node.id));
  const all = inner.map(({ tensor, node }) => {
    const turn = placesOf(trace).turnsAround(node.place).at(-1)?.place ?? '';
    const called = /^([\w.]+)\(/.exec(tensor.expression)?.[1];
    const module = called ? moduleWithin(trace, node) : '';
    const where = `${keyOf(tensor.span)} ${turn} ${tensor.pass_id ?? ''}`;
    return { id: tensor.id, where, module: module && `${called}${module}(…)`, op: `${opName(node.op)}(…)` };
  });
  const times = new Map<string, number>();
  const count = (key: string) => times.set(key, (times.get(key) ?? 0) + 1).get(key)!;
  for (const { where, module } of all) if (module) count(`${where} ${module}`);
  const names = new Map<string, string>();
  for (const { id, where, module, op } of all) {
    const isAlone = module !== '' && times.get(`${where} ${module}`) === 1;
    const number = isAlone ? 1 : count(`${where} ${op}`);
    names.set(id, isAlone ? module : number > 1 ? `${op}·${number}` : op);
  }
  known.set(trace, names);
  return names;
}

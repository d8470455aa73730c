import type { NodeRecord, TensorRecord } from '../../../api/types';
import { partOf, type GraphContext } from '../context';
import type { Turns } from '../turns';

/** A tensor or a function that a reader has singled out, and in which directions the graph is followed from it. */
export interface Isolation {
  id: string;
  before: boolean;
  after: boolean;
}

/** What is the same in every turn of a loop: where it was made, by what, under which name. */
function spotOf(record: TensorRecord | NodeRecord): string {
  const { span } = record;
  const place = span ? `${span.line}:${span.column}` : '';
  return 'op' in record ? `${place} ${record.op}` : `${place} ${record.names[0] ?? record.expression}`;
}

/** The tensor or function that stands in the place of another in the turn that is on screen; null for none. */
function counterpart(context: GraphContext, turns: Turns, id: string): string | null {
  if (context.kept.has(id) || context.drawn.has(id)) return id;
  const { trace, nodes, tensors } = context;
  const find = <Item extends TensorRecord | NodeRecord>(all: Item[], here: Item[]): string | null => {
    const wanted = all.find((each) => each.id === id);
    if (!wanted) return null;
    const spot = spotOf(wanted);
    const turn = turns.innermost(wanted.place);
    const own = all.filter((each) => turns.innermost(each.place) === turn && spotOf(each) === spot);
    return here.filter((each) => spotOf(each) === spot)[own.indexOf(wanted)]?.id ?? null;
  };
  return find(trace.tensors, tensors) ?? find(trace.nodes, nodes);
}

interface Found {
  tensors: Set<string>;
  nodes: Set<string>;
}

/** Everything from which a start can be reached, or that can be reached from it. */
function walk(start: Found, next: (found: Found) => Found): Found {
  const all: Found = { tensors: new Set(start.tensors), nodes: new Set(start.nodes) };
  let open = start;
  while (open.tensors.size + open.nodes.size > 0) {
    const more = next(open);
    const fresh = {
      tensors: new Set([...more.tensors].filter((id) => !all.tensors.has(id))),
      nodes: new Set([...more.nodes].filter((id) => !all.nodes.has(id))),
    };
    fresh.tensors.forEach((id) => all.tensors.add(id));
    fresh.nodes.forEach((id) => all.nodes.add(id));
    open = fresh;
  }
  return all;
}

/** What leads to a tensor or function, and what it leads to; null where it is not in this part of the run. */
export function isolate(
  context: GraphContext,
  turns: Turns,
  { id, before, after }: Isolation,
): GraphContext | null {
  const here = counterpart(context, turns, id);
  if (here === null) return null;
  const start: Found = context.drawn.has(here)
    ? { tensors: new Set(), nodes: new Set([here]) }
    : { tensors: new Set([here]), nodes: new Set() };
  const makers = new Map(context.tensors.map(({ id: tensor, node }) => [tensor, node]));
  const { nodeById, drawn, kept, users } = context;
  const nodesOf = (ids: Iterable<string>) => [...ids].map((node) => nodeById.get(node)!);
  const upward = ({ tensors, nodes }: Found): Found => ({
    nodes: new Set([...tensors].flatMap((each) => makers.get(each) ?? []).filter((each) => drawn.has(each))),
    tensors: new Set(nodesOf(nodes).flatMap(({ inputs }) => inputs.filter((each) => kept.has(each)))),
  });
  const downward = ({ tensors, nodes }: Found): Found => ({
    nodes: new Set([...tensors].flatMap((each) => users.get(each) ?? []).map((node) => node.id)),
    tensors: new Set(nodesOf(nodes).flatMap(({ outputs }) => outputs.filter((each) => kept.has(each)))),
  });
  const none: Found = { tensors: new Set(), nodes: new Set() };
  const found = [before ? walk(start, upward) : none, after ? walk(start, downward) : none, start];
  // What a function makes belongs to it.
  if (drawn.has(here)) found.push(downward(start));
  const tensors = context.tensors.filter((each) => found.some((part) => part.tensors.has(each.id)));
  const nodes = context.nodes.filter((each) => found.some((part) => part.nodes.has(each.id)));
  return partOf(context, nodes, tensors);
}

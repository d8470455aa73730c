import type { TensorRecord, Trace } from '../../api/types';
import { groupBy } from '../group_by';
import { nameOf } from '../trace/names';
import type { Turn } from '../trace/places';

/** Fewer turns than this that read from each other are no chain. */
const FEWEST_LINKS = 2;

/** A turn of a chain, and the tensor that it hands on; null where it hands on none. */
export interface ChainTurn {
  turn: Turn;
  state: string | null;
}

/** A loop of which each turn reads what the turn before has made. */
export interface Chain {
  loop: string;
  /** What the program calls that which is handed on. */
  name: string;
  turns: ChainTurn[];
}

type TurnsAround = (place: string | null) => readonly Turn[];

/** The tensors that turns hand on to the next, by the place of the turn. */
function carriedBy(trace: Trace, around: TurnsAround): Map<string, TensorRecord[]> {
  const tensors = new Map(trace.tensors.map((tensor) => [tensor.id, tensor]));
  const carried = new Map<string, Set<string>>();
  for (const node of trace.nodes)
    for (const input of node.inputs) {
      const tensor = tensors.get(input);
      if (!tensor?.requires_grad || tensor.is_leaf) continue;
      const readers = around(node.place);
      for (const made of around(tensor.place)) {
        const reader = readers.find(({ loop }) => loop === made.loop);
        if (reader?.number !== made.number + 1) continue;
        carried.set(made.place, (carried.get(made.place) ?? new Set()).add(input));
      }
    }
  return new Map([...carried].map(([place, ids]) => [place, trace.tensors.filter(({ id }) => ids.has(id))]));
}

const titleOf = (tensor: TensorRecord) => tensor.names[0] ?? '';

/** The name that most turns hand something on under; of several the one that is made last. */
function mainName(carried: readonly TensorRecord[][]): string {
  const times = groupBy(
    carried.flatMap((each) => [...new Set(each.map(titleOf))]),
    (name) => name,
  );
  const last = carried[0]!.map(titleOf).toReversed();
  const names = [...new Set([...last, ...times.keys()])];
  return names.toSorted((x, y) => (times.get(y)?.length ?? 0) - (times.get(x)?.length ?? 0))[0]!;
}

/** The loop as a chain, where most of its turns hand something on to the next. */
function chainOf(
  trace: Trace,
  loop: string,
  turns: readonly Turn[],
  carried: ReadonlyMap<string, TensorRecord[]>,
  around: TurnsAround,
): Chain | null {
  const own = turns.flatMap(({ place }) => (carried.has(place) ? [carried.get(place)!] : []));
  if (own.length < Math.max(FEWEST_LINKS, (turns.length - 1) / 2)) return null;
  const name = mainName(own);
  const made = groupBy(
    trace.tensors.filter((tensor) => tensor.requires_grad && !tensor.is_leaf && titleOf(tensor) === name),
    ({ place }) => around(place).find((turn) => turn.loop === loop)?.place ?? '',
  );
  const states = turns.map((turn): ChainTurn => {
    const handed = carried.get(turn.place)?.findLast((tensor) => titleOf(tensor) === name);
    return { turn, state: (handed ?? made.get(turn.place)?.at(-1))?.id ?? null };
  });
  const first = trace.tensors.find(({ id }) => id === states.find(({ state }) => state)?.state);
  return { loop, name: first ? nameOf(first) : name, turns: states };
}

/** The chains among the loops of a run, by the id of the loop. */
export function chainsOf(
  trace: Trace,
  loops: Iterable<{ id: string; turns: readonly Turn[] }>,
  around: TurnsAround,
): Map<string, Chain> {
  const carried = carriedBy(trace, around);
  const chains = new Map<string, Chain>();
  if (carried.size === 0) return chains;
  for (const { id, turns } of loops) {
    const chain = chainOf(trace, id, turns, carried, around);
    if (chain) chains.set(id, chain);
  }
  return chains;
}

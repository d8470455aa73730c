import type { NodeRecord, TensorRecord } from '../../../api/types';
import { groupBy } from '../../group_by';
import { partOf, type GraphContext } from '../context';
import type { TurnChoice, Turns } from '../turns';

/** The functions and tensors that belong to one turn, or to none. */
interface Part {
  nodes: number[];
  tensors: number[];
}

/** Of more tensors than this that one function reads from other turns of a loop, only the outer ones are drawn. */
const MOST_FROM_ELSEWHERE = 6;

/** So many of them at each end. */
const OUTER = 2;

/** The part of a graph that is on screen with some turns: what the turns of other times made is left out. */
export class Slices {
  private readonly parts = new Map<string | null, Part>();
  private readonly positions: Map<string, number>;

  constructor(
    private readonly context: GraphContext,
    private readonly turns: Turns,
  ) {
    this.positions = new Map(context.tensors.map(({ id }, k) => [id, k]));
    context.nodes.forEach((node, k) => this.partOf(node).nodes.push(k));
    context.tensors.forEach((tensor, k) => this.partOf(tensor).tensors.push(k));
  }

  private partOf({ place }: NodeRecord | TensorRecord): Part {
    const turn = this.turns.innermost(place);
    const known = this.parts.get(turn) ?? { nodes: [], tensors: [] };
    this.parts.set(turn, known);
    return known;
  }

  /** Where in the list of functions those begin that run after a loop; Infinity for none. */
  private afterLoop(loop: string | null): number {
    if (loop === null) return Infinity;
    const last = this.context.nodes.findLastIndex(({ place }) =>
      this.turns.around(place).some((turn) => turn.loop === loop),
    );
    return last < 0 ? Infinity : last + 1;
  }

  /** What a function reads from the middle of many other turns, as the `stack` of what each turn has made. */
  private leftOut({ inputs }: NodeRecord, choice: TurnChoice): ReadonlySet<string> {
    const left = new Set<string>();
    if (inputs.length <= MOST_FROM_ELSEWHERE) return left;
    const away = groupBy(inputs, (input) => this.loopElsewhere(input, choice));
    for (const [loop, read] of away)
      if (loop !== null && read.length > MOST_FROM_ELSEWHERE)
        for (const input of read.slice(OUTER, -OUTER)) left.add(input);
    return left;
  }

  /** The loop that made a tensor in a turn that is not on screen. */
  private loopElsewhere(tensor: string, choice: TurnChoice): string | null {
    const position = this.positions.get(tensor);
    if (position === undefined) return null;
    const turns = this.turns.around(this.context.tensors[position]!.place);
    return turns.find(({ place }) => !choice.ids.has(place))?.loop ?? null;
  }

  /** Everything of the turns on screen, and from outside of them what those functions read. */
  at(choice: TurnChoice): GraphContext {
    const { context } = this;
    if (this.parts.size <= 1) return context;
    const shown = [null, ...choice.ids].flatMap((turn) => this.parts.get(turn) ?? []);
    const inOrder = (list: number[]) => list.sort((x, y) => x - y);
    const after = this.afterLoop(choice.inside);
    const all = inOrder(shown.flatMap((part) => part.nodes.filter((k) => k < after))).map(
      (k) => context.nodes[k]!,
    );
    // Of what is worked out without gradients the results are what counts beside a loop, or in it.
    const nodes = choice.isStacked ? all.filter(({ kind, pass_id }) => kind !== 'constant' || pass_id) : all;
    const drawn = new Set(nodes.map(({ id }) => id));
    const here = new Set(
      shown
        .flatMap((part) => part.tensors)
        .filter((k) => isAlive(context, context.tensors[k]!, drawn, after < Infinity)),
    );
    for (const node of nodes) {
      const left = this.leftOut(node, choice);
      for (const input of node.inputs) {
        const position = this.positions.get(input);
        if (position !== undefined && !left.has(input)) here.add(position);
      }
    }
    const tensors = inOrder([...here]).map((k) => context.tensors[k]!);
    return partOf(context, nodes, tensors);
  }
}

/** A tensor that only functions out of sight read is out of sight too, but for leaves that learn. */
function isAlive(
  { users, asked, nodeById }: GraphContext,
  tensor: TensorRecord,
  drawn: ReadonlySet<string>,
  isCut: boolean,
): boolean {
  if (tensor.is_leaf && tensor.requires_grad) return true;
  // Where functions are out of sight, so is what they made.
  if (isCut && tensor.node && nodeById.get(tensor.node)?.kind !== 'constant' && !drawn.has(tensor.node))
    return false;
  if (asked.has(tensor.id)) return true;
  if (tensor.node && drawn.has(tensor.node)) return true;
  const used = users.get(tensor.id) ?? [];
  return used.length === 0 || used.some(({ id }) => drawn.has(id));
}

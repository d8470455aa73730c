import type { NodeRecord, Trace } from '../../../api/types';
import { changedBy, eventsOf } from '../../trace/events';
import { partOf, type GraphContext } from '../context';
import type { Turns } from '../turns';

/** What a segment of the timeline is about, and the events that it plays, from one up to another that is not counted. */
export interface Told {
  node: string | null;
  tensor: string | null;
  event: number;
  until: number;
}

/** What a part of the run has on screen, by id. */
interface Episode {
  nodes: Set<string>;
  tensors: Set<string>;
}

/** Sets that are joined; each is known by one of its members. */
class Joined {
  private readonly above = new Map<string, string>();

  of(member: string): string {
    let root = member;
    for (let next = this.above.get(root); next !== undefined; next = this.above.get(root)) root = next;
    for (let each = member; each !== root;) {
      const next = this.above.get(each)!;
      this.above.set(each, root);
      each = next;
    }
    return root;
  }

  join(one: string, other: string): void {
    const [first, second] = [this.of(one), this.of(other)];
    if (first !== second) this.above.set(second, first);
  }
}

/**
 * The graphs of a run that have nothing in common but leaves and constants: a script that shows one thing after another
 * has many, one for each `backward` that nobody else leads to. The turns of a loop that are shown one at a time are one, and
 * so is what its turns compute beside the loops within them.
 */
export class Episodes {
  /** By the index of a segment: the episode that it belongs to. */
  private readonly bySegment: (string | null)[];
  private readonly all = new Map<string, Episode>();
  private readonly joined = new Joined();
  private readonly isFunction: ReadonlySet<string>;
  /** The functions that made tensors, by tensor; null of a leaf. */
  private readonly makers: ReadonlyMap<string, NodeRecord | null>;
  /** The functions and tensors that belong to an episode by what they are. */
  private readonly needed = new Set<string>();

  /** Is there one whose turns are shown one at a time? */
  readonly hasTurns: boolean;

  constructor(
    private readonly context: GraphContext,
    private readonly turns: Turns,
    segments: readonly Told[],
  ) {
    this.isFunction = new Set(context.nodes.filter(({ kind }) => kind !== 'constant').map(({ id }) => id));
    const drawn = new Map(context.nodes.map((node) => [node.id, node]));
    this.makers = new Map(
      context.tensors.flatMap(({ id, node }) => {
        const maker = node === null ? null : drawn.get(node);
        return maker === undefined ? [] : [[id, maker] as const];
      }),
    );
    this.hasTurns = this.connect();
    for (const node of context.nodes)
      if (this.isFunction.has(node.id)) this.enter(this.joined.of(node.id), node);
    this.bySegment = this.follow(context.trace, segments);
  }

  get count(): number {
    return this.all.size;
  }

  /** The episode in which a segment is played; that of what is looked at, where it is in another one. */
  at(segment: number, looked: string | null = null): string | null {
    const own = this.bySegment[Math.min(segment, this.bySegment.length - 1)] ?? null;
    const has = (id: string) => {
      const { nodes, tensors } = this.all.get(id)!;
      return nodes.has(looked!) || tensors.has(looked!);
    };
    if (looked === null || (own !== null && has(own))) return own;
    return [...this.all.keys()].find(has) ?? own;
  }

  /** Does one of these tensors belong to an episode? */
  holds(id: string, tensors: Iterable<{ state: string | null }>): boolean {
    const own = this.all.get(id)?.tensors;
    return [...tensors].some(({ state }) => state !== null && own?.has(state));
  }

  /** The part of a graph that belongs to an episode. */
  narrow(context: GraphContext, id: string): GraphContext {
    const episode = this.all.get(id);
    if (!episode) return context;
    const nodes = context.nodes.filter((node) => episode.nodes.has(node.id));
    const tensors = context.tensors.filter((tensor) => episode.tensors.has(tensor.id));
    return partOf(context, nodes, tensors);
  }

  /** The function that made a tensor, where that is no constant. */
  private functionOf(tensor: string): string | null {
    const maker = this.makers.get(tensor)?.id ?? null;
    return maker !== null && this.isFunction.has(maker) ? maker : null;
  }

  /**
   * Functions belong together that lead to each other, that one pass begins at, or that one stack of turns holds. Tells
   * whether there is such a stack.
   */
  private connect(): boolean {
    const { trace, nodes } = this.context;
    const loops = new Map<string, string>();
    for (const { id, inputs, place } of nodes) {
      if (!this.isFunction.has(id)) continue;
      for (const input of inputs) {
        const maker = this.functionOf(input);
        if (maker !== null) this.joined.join(maker, id);
      }
      const loop = this.turns.around(place).findLast((turn) => this.turns.stacked(turn.place))?.loop;
      if (loop === undefined) continue;
      this.joined.join(loops.get(loop) ?? id, id);
      loops.set(loop, id);
    }
    for (const { roots } of trace.passes) {
      const begun = roots.flatMap(({ tensor }) => this.functionOf(tensor) ?? []);
      for (const node of begun) this.joined.join(begun[0]!, node);
    }
    return loops.size > 0;
  }

  /** A function is in an episode with what it reads, the constants worked out for it, and what it makes. */
  private enter(id: string, node: NodeRecord): void {
    const episode = this.all.get(id) ?? { nodes: new Set(), tensors: new Set() };
    this.all.set(id, episode);
    const waiting = [node];
    for (let each = waiting.pop(); each; each = waiting.pop()) {
      if (episode.nodes.has(each.id)) continue;
      episode.nodes.add(each.id);
      for (const id of [...each.outputs, ...each.inputs]) episode.tensors.add(id);
      for (const id of [each.id, ...each.outputs, ...each.inputs]) this.needed.add(id);
      for (const input of each.inputs) {
        const maker = this.makers.get(input);
        if (maker && !this.isFunction.has(maker.id)) waiting.push(maker);
      }
    }
  }

  /**
   * Segments of functions are in the episodes of these; what else happens is in the episode that comes next where that
   * needs it (its leaves, its data, their zeroing), else in the one before.
   */
  private follow(trace: Trace, segments: readonly Told[]): (string | null)[] {
    const events = eventsOf(trace);
    const owners = segments.map(({ node }) =>
      node && this.isFunction.has(node) ? this.joined.of(node) : null,
    );
    const found: (string | null)[] = [];
    let next: string | null = null;
    const following = owners.map(() => null as string | null);
    for (let k = owners.length - 1; k >= 0; k -= 1) following[k] = next = owners[k] ?? next;
    segments.forEach((segment, k) => {
      const { node, tensor, event, until } = segment;
      const changed = events.slice(event, until).flatMap(changedBy);
      const about = [tensor, ...(node === null && tensor === null ? changed : [])].flatMap((id) => id ?? []);
      const after = following[k] ?? null;
      const needs = (id: string | null) =>
        id !== null && about.some((each) => this.all.get(id)!.tensors.has(each));
      const before = found.at(-1) ?? null;
      const own = owners[k] ?? (before === null || (!needs(before) && needs(after)) ? after : before);
      found.push(own);
      const episode = this.all.get(own ?? '');
      if (!episode) return;
      // What only a later episode needs is not drawn before it, nor what was made by a function that was left out.
      if (node && !this.needed.has(node)) episode.nodes.add(node);
      for (const each of about)
        if (!this.needed.has(each) && this.makers.has(each)) episode.tensors.add(each);
    });
    return found;
  }
}

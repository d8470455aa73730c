import type { Trace, Value } from '../../api/types';
import type { Timeline } from '../animation/segments';
import type { Chain } from '../graph/chains';
import { norm, toNumber } from '../trace/values';
import type { Turn } from '../trace/places';

/** The gradient of what a turn hands on, in one pass. */
export interface ChainNorm {
  turn: Turn;
  /** Its norm: NaN or infinite where an element is; null where the pass gives it none. */
  norm: number | null;
  /** When it is known; Infinity where it never is. */
  time: number;
}

/** The norm with what it leaves out otherwise. */
function wholeNorm(value: Value): number {
  const strange = value.data?.map(toNumber).filter((x) => !Number.isFinite(x)) ?? [];
  if (strange.length === 0) return norm(value);
  return strange.some(Number.isNaN) ? NaN : Infinity;
}

const arrivals = new WeakMap<Timeline, Map<number, Map<string, number>>>();

/** When each tensor has its gradient in a pass. */
function timesOf(trace: Trace, timeline: Timeline, pass: number): Map<string, number> {
  const known = arrivals.get(timeline) ?? new Map<number, Map<string, number>>();
  arrivals.set(timeline, known);
  const before = known.get(pass);
  if (before) return before;
  const start = timeline.passes.find((each) => each.pass === pass)?.start ?? Infinity;
  const times = new Map(trace.passes[pass]!.roots.map(({ tensor }) => [tensor, start]));
  for (const segment of timeline.segments) {
    if (segment.pass !== pass) continue;
    for (const { tensor, landing } of segment.deliveries)
      if (landing !== 'wait' || segment.kind === 'add') times.set(tensor, segment.end);
  }
  known.set(pass, times);
  return times;
}

/** The pass whose gradients a chain shows at a time: the last that has begun and reaches it, else the first that does. */
export function passOf({ passes }: Trace, timeline: Timeline, { turns }: Chain, time: number): number | null {
  const reaching = timeline.passes.filter(({ pass }) =>
    turns.some(({ state }) => state !== null && passes[pass]?.gradients[state] !== undefined),
  );
  return (reaching.findLast(({ start }) => start <= time) ?? reaching[0])?.pass ?? null;
}

/** The norm of the gradient after each turn of a chain. */
export function chainNorms(trace: Trace, timeline: Timeline, { turns }: Chain, pass: number): ChainNorm[] {
  const { gradients } = trace.passes[pass]!;
  const times = timesOf(trace, timeline, pass);
  return turns.map(({ turn, state }) => {
    const gradient = state === null ? undefined : gradients[state];
    return {
      turn,
      norm: gradient ? wholeNorm(gradient) : null,
      time: gradient ? (times.get(state!) ?? Infinity) : Infinity,
    };
  });
}

/** How many times smaller the gradient is at the first turn than at the last; null where that cannot be said. */
export function shrinkage(norms: readonly ChainNorm[]): { from: number; to: number; times: number } | null {
  const told = norms.filter(({ norm: each }) => each !== null);
  const [first, last] = [told.at(0), told.at(-1)];
  if (!first || !last || first === last) return null;
  const times = last.norm! / first.norm!;
  return Number.isFinite(times) && times > 0
    ? { from: last.turn.number, to: first.turn.number, times }
    : null;
}

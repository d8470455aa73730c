import type { Value } from '../../api/types';

/** Beads: `value` fades in over `before` as `mix` goes from 0 to 1. Null is drawn as empty places. */
export interface Beads {
  value: Value | null;
  before: Value | null;
  mix: number;
  /** The gradient was asked for and not given: the places carry question marks. */
  unknown: boolean;
}

/** The `.grad` of a leaf. `summands` counts what has been added since it was None. */
export interface Bucket extends Beads {
  state: 'none' | 'waiting' | 'full';
  summands: number;
  /** The grad_inputs of the pass at hand that have come and wait for the others, and how many there will be. */
  received: readonly Value[];
  expected: number;
}

/** The values of a tensor through time: `value` takes the place of `before` as `mix` goes from 0 to 1. */
export interface Content {
  /** Null stands for the value that the tensor was recorded with. */
  value: Value | null;
  before: Value | null;
  mix: number;
  /** The number of the version in force. */
  version: number;
}

export interface CardState {
  /** Opacity of the value; 0 before the tensor has been made. */
  value: number;
  content: Content;
  gradient: Beads;
  bucket: Bucket;
  /** The rule at hand uses this value. */
  ring: boolean;
}

export interface PillState {
  phase: 'future' | 'idle' | 'active' | 'done';
  direction: 'forward' | 'backward';
  halo: number;
  dim: boolean;
  /** Names of the saved variables that a pass has let go. */
  freed: readonly string[];
}

export interface EdgeState {
  future: boolean;
  dim: boolean;
  /** How far forward data has come, 0..1, while that is shown. */
  forward: number;
  /** How far the gradient has come, 0..1, from the output's side. */
  fill: number;
  /** Width of the gradient's line. */
  width: number;
  /** A chip leads the fill. */
  trail: boolean;
}

/** A gradient in flight, or standing at a tensor until the others have come. */
export interface ChipState {
  key: string;
  edge: string;
  tensor: string;
  value: Value;
  /** How far along the edge, 0 at the function, 1 at the tensor. */
  at: number;
  opacity: number;
  /** How far it has sunk into the tensor, 0..1. */
  sink: number;
  /** Its place among the grad_inputs of the tensor, and their number. */
  slot: number;
  of: number;
}

/** Where a pass begins, and what was given there. */
export interface Seed {
  tensor: string;
  gradient: Value | null;
  given: 'ones' | 'given' | 'implicit' | 'missing' | 'misshapen';
}

export const NO_BEADS: Beads = { value: null, before: null, mix: 1, unknown: false };
export const UNKNOWN_BEADS: Beads = { ...NO_BEADS, unknown: true };
export const NO_BUCKET: Bucket = { ...NO_BEADS, state: 'none', summands: 0, received: [], expected: 0 };
export const RECORDED: Content = { value: null, before: null, mix: 1, version: 0 };
export const FUTURE_CARD: CardState = {
  value: 0,
  content: RECORDED,
  gradient: NO_BEADS,
  bucket: NO_BUCKET,
  ring: false,
};
export const FUTURE_PILL: PillState = {
  phase: 'future',
  direction: 'forward',
  halo: 0,
  dim: true,
  freed: [],
};
export const FUTURE_EDGE: EdgeState = {
  future: true,
  dim: true,
  forward: 0,
  fill: 0,
  width: 1.5,
  trail: false,
};

/** Beads at rest. */
export function restingBeads(value: Value): Beads {
  return { ...NO_BEADS, value };
}

/** The value that a tensor has at a time. */
export function contentNow({ value, before, mix }: Content): Value | null {
  return mix < 0.5 ? before : value;
}

/** What an element looks like from segment `from` on, before that segment moves it. */
interface StateFrom<State> {
  from: number;
  state: State;
}

/** The states that an element passes through, by segment. */
export class StateHistory<State> {
  private readonly entries = new Map<string, StateFrom<State>[]>();
  private readonly initial: State;

  constructor(initial: State) {
    this.initial = initial;
  }

  latest(id: string): State {
    return this.entries.get(id)?.at(-1)?.state ?? this.initial;
  }

  set(id: string, from: number, state: State): void {
    const list = this.entries.get(id) ?? [];
    if (list.at(-1)?.from === from) list.pop();
    list.push({ from, state });
    this.entries.set(id, list);
  }

  update(id: string, from: number, change: Partial<State>): void {
    this.set(id, from, { ...this.latest(id), ...change });
  }

  at(id: string, segment: number): State {
    const list = this.entries.get(id) ?? [];
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.from ?? Infinity) <= segment) low = middle + 1;
      else high = middle;
    }
    return list[low - 1]?.state ?? this.initial;
  }
}

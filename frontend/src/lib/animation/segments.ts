import type { GradInput, Span } from '../../api/types';
import type { UpdateBeat } from '../update/leaf_updates';

/** Milliseconds of each segment. The length of a segment on the timeline is its duration, so the ruler is true. */
export const DURATION = {
  forward: 360,
  arrive: 360,
  rule: 480,
  send: 620,
  add: 420,
  write: 620,
  zero: 480,
  step: 960,
  print: 300,
  hook: 360,
  mark: 360,
} as const;

/** Milliseconds of the beats in which leaves are updated. */
export const BEAT: Record<UpdateBeat, number> = { read: 240, state: 480, flow: 620, write: 420 };

/** Where several grad_inputs or gradients move in one segment, each starts this much after the one before. */
const STAGGER = 120;

export type SegmentKind = keyof typeof DURATION;

/** Where a grad_input goes: into the `.grad` of a leaf, to the gradient of a tensor, or to wait there for others. */
export type Landing = 'bucket' | 'gradient' | 'wait';

/** One edge of a send or add segment. */
export interface Delivery {
  edge: string;
  tensor: string;
  gradInput: GradInput;
  landing: Landing;
  /** Its place among the grad_inputs that this tensor receives in the pass, and their number. */
  slot: number;
  of: number;
}

/**
 * One segment. `stop` counts what a reader calls steps, from 1: each tensor of the forward pass, each function of a
 * backward pass, each write, zeroing and optimizer step; prints, hooks and settings belong to the step before. `pass` and
 * `step` are indices into the trace. `node` and `tensor` say what the segment is about: forward has the tensor made and
 * the function that made it; send and add have the tensor that receives.
 */
export interface Segment {
  index: number;
  kind: SegmentKind;
  start: number;
  end: number;
  stop: number;
  pass: number | null;
  step: number | null;
  node: string | null;
  tensor: string | null;
  /** The index of the event that is played; of a trace that tells none, 0. */
  event: number;
  /** The index after the last event that is played: what one line does to several leaves is one segment. */
  until: number;
  /** Where in the source the event stands, for those that are neither a function's nor a tensor's. */
  span: Span | null;
  /** Of an update that is played in beats, which of them. */
  beat: UpdateBeat | null;
  /** The grad_inputs on their way (send), or the grad_inputs that are added (add), those that waited included. */
  deliveries: Delivery[];
}

/** Prints, hooks and settings: short, and no element changes. */
export function isBeside({ kind }: Segment): boolean {
  return kind === 'print' || kind === 'hook' || kind === 'mark';
}

/** The segments of one pass, and whether it ended early. */
export interface PassSpan {
  pass: number;
  start: number;
  end: number;
  firstStop: number;
  lastStop: number;
  complete: boolean;
}

export interface Timeline {
  segments: Segment[];
  duration: number;
  stops: number;
  passes: PassSpan[];
}

export type SegmentDraft = Pick<Segment, 'kind'> & Partial<Omit<Segment, 'index' | 'start' | 'end' | 'stop'>>;

/** Puts segments one after the other. */
export class TimelineBuilder {
  readonly segments: Segment[] = [];
  time = 0;
  stop = 0;
  /** The index of the event at hand. */
  event = 0;

  add(segment: SegmentDraft): void {
    const start = this.time;
    const { kind, beat } = segment;
    this.time += (beat ? BEAT[beat] : DURATION[kind]) + STAGGER * Math.max(0, simultaneous(segment) - 1);
    this.segments.push({
      pass: null,
      step: null,
      node: null,
      tensor: null,
      event: this.event,
      until: this.event + 1,
      span: null,
      beat: null,
      deliveries: [],
      ...segment,
      index: this.segments.length,
      start,
      end: this.time,
      stop: Math.max(1, this.stop),
    });
  }
}

/** How many things start one after another within the segment; the rest of a wide function leaves at once. */
function simultaneous(segment: SegmentDraft): number {
  return segment.kind === 'add' ? Math.min(3, segment.deliveries?.length ?? 1) : 1;
}

import type { Edge, EventOf, Pass, Span, TensorRecord, Trace, TraceEvent } from '../../api/types';
import { changedBy, eventsOf } from '../trace/events';
import { Lookup } from '../trace/lookup';
import { visiblePart } from '../trace/visibility';
import { beatsOf, type UpdateBeat } from '../update/leaf_updates';
import { addPass, type During } from './pass_segments';
import { isBeside, TimelineBuilder, type PassSpan, type Segment, type Timeline } from './segments';

type ChangeEvent = EventOf<'write' | 'zero' | 'step'>;

function isSameLine(one: Span | null, other: Span | null): boolean {
  return one !== null && one.line === other?.line && one.column === other.column;
}

/** Does an event change what one of those before it has changed? */
function overlaps(before: readonly TraceEvent[], event: TraceEvent): boolean {
  const changed = new Set(before.flatMap(changedBy));
  return changedBy(event).some((id) => changed.has(id));
}

/** Plays events one after the other; each tensor appears once. */
class EventPlayer {
  readonly builder = new TimelineBuilder();
  readonly passes: PassSpan[] = [];
  private readonly edges: Map<string, Edge>;
  private readonly tensors: TensorRecord[];
  private readonly lookup: Lookup;
  private readonly position: Map<string, number>;
  private readonly made = new Set<string>();
  private readonly outputs = new Map<string, TensorRecord[]>();
  /** The tensors before this one that come from data have appeared. */
  private reached = 0;
  /** The index of the event to be played next. */
  private next = 0;

  constructor(
    private readonly trace: Trace,
    private readonly events: readonly TraceEvent[],
  ) {
    this.lookup = new Lookup(trace);
    this.edges = new Map(trace.edges.map((edge) => [edge.id, edge]));
    const isPartOfPass = new Set(trace.nodes.filter((node) => node.pass_id).map((node) => node.id));
    this.tensors = visiblePart(trace).tensors.filter(
      ({ pass_id, node }) => !(pass_id && node && isPartOfPass.has(node)),
    );
    this.position = new Map(this.tensors.map(({ id }, k) => [id, k]));
    const called = new Set(events.flatMap((event) => (event.kind === 'function' ? [event.node] : [])));
    for (const tensor of this.tensors) {
      if (!tensor.node || !called.has(tensor.node)) continue;
      const made = this.outputs.get(tensor.node);
      if (made) made.push(tensor);
      else this.outputs.set(tensor.node, [tensor]);
    }
  }

  private appear(tensor: TensorRecord): void {
    if (this.made.has(tensor.id)) return;
    this.made.add(tensor.id);
    this.builder.stop += 1;
    this.builder.add({ kind: 'forward', node: tensor.node, tensor: tensor.id });
  }

  /** Tensors that no event makes appear before the first that was made after them. */
  private appearUpTo(position: number): void {
    for (; this.reached < position; this.reached += 1) {
      const tensor = this.tensors[this.reached]!;
      if (!tensor.node || !this.outputs.has(tensor.node)) this.appear(tensor);
    }
  }

  private appearAll(ids: readonly string[]): void {
    for (const id of ids) {
      const position = this.position.get(id);
      if (position !== undefined) this.appear(this.tensors[position]!);
    }
  }

  /** Where in the list of tensors the next call of a function stands. */
  private nextCall(): number {
    for (let k = this.builder.event; k < this.events.length; k += 1) {
      const event = this.events[k]!;
      const [first] = event.kind === 'function' ? (this.outputs.get(event.node) ?? []) : [];
      if (first && !this.made.has(first.id)) return this.position.get(first.id) ?? 0;
    }
    return this.tensors.length;
  }

  private playPass(number: number): void {
    const pass = this.trace.passes[number];
    if (!pass || this.passes.some((each) => each.pass === number)) return;
    this.appearAll([...pass.roots.map(({ tensor }) => tensor), ...Object.keys(pass.gradients)]);
    this.passes.push(addPass(this.builder, this.trace, number, this.edges, this.during(pass)));
  }

  /** The events that are part of a pass follow it; each is played where it belongs, and what comes after it later still. */
  private during({ id, accumulations }: Pass): During {
    const leaves = new Set(accumulations.map(({ tensor }) => tensor));
    const next = () => {
      const event = this.events[this.next];
      return event && event.kind !== 'pass' && event.during?.pass_id === id ? event : null;
    };
    const leafOf = (event: TraceEvent) =>
      event.kind === 'hook' && event.tensor && leaves.has(event.tensor) ? event.tensor : null;
    const play = () => {
      this.builder.event = this.next;
      this.next += 1;
      this.play(this.events[this.builder.event]!);
    };
    return {
      before: (step) => {
        for (let event = next(); event && event.during!.step <= step; event = next()) play();
      },
      adding: (tensors) => {
        const event = next();
        const leaf = event && leafOf(event);
        if (!leaf || !tensors.includes(leaf)) return;
        play();
        for (
          let more = next();
          more && !leafOf(more) && more.during!.step === event.during!.step;
          more = next()
        )
          play();
      },
    };
  }

  private play(event: TraceEvent): void {
    const { span } = event;
    switch (event.kind) {
      case 'function': {
        const made = this.outputs.get(event.node) ?? [];
        if (made[0]) this.appearUpTo(this.position.get(made[0].id) ?? 0);
        made.forEach((tensor) => this.appear(tensor));
        break;
      }
      case 'pass':
        this.playPass(this.trace.passes.findIndex(({ id }) => id === event.pass));
        break;
      case 'write':
        this.playChange(event, [event.tensor]);
        break;
      case 'zero':
      case 'step':
        this.playChange(event, event.tensors);
        break;
      default:
        this.appearUpTo(this.nextCall());
        if (!this.joins(event)) this.builder.add({ kind: event.kind, span });
    }
  }

  /** Prints in a row are one segment, and so is what one line does to several leaves, one after the other. */
  private joins(event: TraceEvent, beats: readonly UpdateBeat[] = []): boolean {
    const last = this.builder.segments.at(-1);
    if (!last || last.kind !== event.kind || !['print', 'write', 'zero'].includes(event.kind)) return false;
    const before = this.events.slice(last.event, last.until);
    if (event.kind !== 'print' && (!isSameLine(last.span, event.span) || overlaps(before, event)))
      return false;
    if (last.beat !== (beats.at(-1) ?? null)) return false;
    for (const segment of this.builder.segments.slice(-Math.max(1, beats.length))) {
      segment.until = this.builder.event + 1;
      if (event.kind !== 'print') segment.tensor = null;
    }
    return true;
  }

  /** What changes tensors that are not in the picture is not played. */
  private playChange(event: ChangeEvent, ids: readonly string[]): void {
    const shown = ids.filter((id) => this.position.has(id));
    if (shown.length === 0) return;
    this.appearUpTo(this.nextCall());
    this.appearAll(shown);
    const beats = beatsOf(this.lookup, event, this.builder.event);
    if (this.joins(event, beats)) return;
    this.builder.stop += 1;
    const tensor = shown.length === 1 ? shown[0]! : null;
    const played = { kind: event.kind, tensor, span: event.span };
    if (beats.length === 0) this.builder.add(played);
    for (const beat of beats) this.builder.add({ ...played, beat });
  }

  /** All events, then what they did not mention: of a trace without events, each tensor and then each pass. */
  run(): Timeline {
    const { builder, events } = this;
    while (this.next < events.length) {
      builder.event = this.next;
      this.next += 1;
      this.play(events[builder.event]!);
    }
    builder.event = events.length;
    this.appearUpTo(this.tensors.length);
    this.trace.passes.forEach((_, k) => this.playPass(k));
    return {
      segments: builder.segments,
      duration: builder.time,
      stops: builder.stop,
      passes: this.passes,
    };
  }
}

/** The whole run as segments, in the program's order. */
export function buildTimeline(trace: Trace): Timeline {
  return new EventPlayer(trace, eventsOf(trace)).run();
}

/** The pass that a segment belongs to, else the last one before it; of a trace with passes, the first at the latest. */
export function passAt({ passes }: Timeline, segment: Segment | null): number | null {
  const begun = passes.findLast(({ start }) => segment !== null && start <= segment.start);
  return segment?.pass ?? begun?.pass ?? passes[0]?.pass ?? null;
}

/** The segment at a time, and how far into it, from 0 to 1. At a border the later segment counts. */
export function segmentAt(timeline: Timeline, time: number): { segment: Segment; progress: number } | null {
  const { segments } = timeline;
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((segments[middle]?.start ?? Infinity) <= time) low = middle;
    else high = middle - 1;
  }
  const segment = segments[low];
  if (!segment) return null;
  const progress = (time - segment.start) / (segment.end - segment.start);
  return { segment, progress: Math.max(0, Math.min(1, progress)) };
}

/** A segment; of a print, a hook or a setting the one before it that is none. */
export function toldAt({ segments }: Timeline, segment: Segment): Segment {
  if (!isBeside(segment)) return segment;
  for (let k = segment.index - 1; k >= 0; k -= 1) if (!isBeside(segments[k]!)) return segments[k]!;
  return segment;
}

/** The segment of the same pass before (-1) or after (1) another, past what hooks do in between; null where there is none. */
export function besideInPass({ segments }: Timeline, { index, pass }: Segment, by: -1 | 1): Segment | null {
  if (pass === null) return null;
  for (let k = index + by; k >= 0 && k < segments.length; k += by) {
    const other = segments[k]!;
    if (other.pass === pass) return other;
    if (other.pass !== null) return null;
  }
  return null;
}

/** The part of a segment after which a chip, eased, is in the middle of its way. */
export const MID_FLIGHT = 0.38;

/** Does a chip fly in a segment? */
export function isFlight({ kind, beat }: Segment): boolean {
  return kind === 'send' || beat === 'flow';
}

/** Where a reader who steps comes to rest in a segment: a chip in mid-flight, all else just before its end. */
export function restTime(segment: Segment): number {
  const part = isFlight(segment) ? MID_FLIGHT : 0.999;
  return segment.start + part * (segment.end - segment.start);
}

/** The rest after (1) or before (-1) a time; the end or the start of the timeline where there is none. */
export function restBeside({ segments, duration }: Timeline, time: number, direction: 1 | -1): number {
  const rests = segments.map(restTime);
  if (direction > 0) return rests.find((rest) => rest > time + 1) ?? duration;
  return rests.findLast((rest) => rest < time - 1) ?? 0;
}

/** The function, else the tensor, that a segment is about; what the program does between functions is neither. */
export function aboutOf(segment: Segment | null): string | null {
  if (!segment || segment.span) return null;
  return segment.node ?? segment.tensor;
}

/** Whether two timelines have the same segments, so that a time means the same in both. */
export function sameCourse(before: Timeline, after: Timeline): boolean {
  return (
    before.segments.length === after.segments.length &&
    before.segments.every(
      ({ kind, end }, k) => after.segments[k]?.kind === kind && after.segments[k]?.end === end,
    )
  );
}

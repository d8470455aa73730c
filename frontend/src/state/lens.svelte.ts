import * as api from '../api/client';
import { Problem } from '../api/client';
import type { TensorRecord, Trace, Value } from '../api/types';
import { contentNow } from '../lib/animation/element_states';
import { Animation } from '../lib/animation/frame';
import { buildTimeline } from '../lib/animation/timeline';
import { session } from './session.svelte';

/** What the lens shows of a tensor: what it is at this moment of the run. */
export interface Looked {
  tensor: TensorRecord;
  /** Null before the tensor has been made. */
  value: Value | null;
  /** The `.grad` of a leaf, the gradient of another tensor; null while there is none. */
  gradient: Value | null;
}

/** Which tensor is looked at closely, and all of its elements: a trace may hold only a corner of them. */
export class Lens {
  /** The id of the tensor; null while the lens is closed. */
  tensor = $state<string | null>(null);
  loading = $state(false);
  problem = $state.raw<Problem | null>(null);
  private full = $state.raw<Trace | null>(null);
  private leave = new AbortController();

  private trace = $derived(this.full ? session.mask(this.full) : session.trace);
  looked = $derived(this.tensor === null ? null : lookedAt(this.trace, this.tensor, session.time));

  /** Opens the lens on a tensor of the run at hand, or on the result of a function. */
  open(subject: string): void {
    const { lookup } = session;
    const tensor = lookup.tensor(subject) ?? lookup.tensor(lookup.node(subject)?.outputs[0]);
    if (!tensor) return;
    const { id } = tensor;
    session.pause();
    this.full = null;
    this.problem = null;
    this.tensor = id;
    if (!isWhole(session.trace, tensor)) void this.ask(id);
  }

  close(): void {
    this.leave.abort();
    this.tensor = null;
    this.full = null;
    this.loading = false;
  }

  /** A run is repeatable: the same request gives the same ids, and the elements that are asked for. */
  private async ask(id: string): Promise<void> {
    this.leave = new AbortController();
    const { signal } = this.leave;
    this.loading = true;
    try {
      const trace = await api.trace({ ...session.request(), values: [id] }, signal);
      if (signal.aborted) return;
      if (trace.tensors.some((each) => each.id === id)) this.full = trace;
      else if (trace.error) this.problem = new Problem('refused', trace.error.message);
    } catch (cause) {
      if (cause instanceof Problem) this.problem = cause;
      else if (!signal.aborted) throw cause;
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }
}

/** Whether all that a trace tells of a tensor is there in full. */
function isWhole(trace: Trace, { id, value, versions }: TensorRecord): boolean {
  const gradients = trace.passes.flatMap((pass) => [
    pass.gradients[id],
    ...pass.accumulations.filter(({ tensor }) => tensor === id).map(({ after }) => after),
  ]);
  return [value, ...versions.map((each) => each.value), ...gradients].every((each) => !each?.summary);
}

function lookedAt(trace: Trace, id: string, time: number): Looked | null {
  const tensor = trace.tensors.find((each) => each.id === id);
  if (!tensor) return null;
  const animation = new Animation(trace, buildTimeline(trace));
  const { cards } = animation.at(time, true, { tensors: [id], nodes: [], edges: [] });
  const card = cards.get(id)!;
  const beads = card.bucket.state === 'full' ? card.bucket : card.gradient;
  return {
    tensor,
    value: card.value > 0 ? (contentNow(card.content) ?? tensor.value) : null,
    gradient: beads.mix < 0.5 ? beads.before : beads.value,
  };
}

export const lens = new Lens();

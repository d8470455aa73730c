import * as api from '../api/client';
import type { Trace } from '../api/types';
import { arrayOf, keyOf, type ElementRef, type Light } from '../lib/touch/element';
import { lightsOf } from '../lib/touch/lights';
import { connected, LocalMaps } from '../lib/touch/local_maps';
import { pick } from '../lib/touch/pick';
import { Lookup } from '../lib/trace/lookup';
import { formatBriefly, numel, toElement } from '../lib/trace/values';
import { lights } from './lights.svelte';
import { session } from './session.svelte';

/** While a gradient is dragged, runs follow each other faster than one can ask. */
const PATIENCE_MS = 150;
/** So many cells light up at most, those of the sum first. */
const MOST_LIGHTS = 2000;

function elementPicked(): ElementRef | null {
  const chosen = session.selection;
  if (chosen?.kind !== 'tensor' || chosen.element === undefined) return null;
  return { tensor: chosen.id, of: chosen.of ?? 'value', k: chosen.element };
}

/** The element that the reader has picked: what it depends on and what depends on it. The service tells the coefficients. */
class Touch {
  direction = $state<'from' | 'to'>('from');
  /** Until the coefficients of the first element have come. */
  loading = $state(true);
  failed = $state(false);
  private told = $state.raw<Trace | null>(null);
  private asked = '';
  private leave = new AbortController();

  readonly ref = $derived(elementPicked());
  /** The run at hand with the coefficients that were told of it; of large arrays the run that was asked for. */
  private trace = $derived.by(() => {
    const { told } = this;
    const now = session.trace;
    const isSame =
      told?.nodes.length === now.nodes.length && told.nodes.every(({ op }, k) => op === now.nodes[k]!.op);
    return isSame ? { ...now, local_jacobians: told.local_jacobians } : now;
  });
  private maps = $derived(new LocalMaps(this.trace));
  private lookup = $derived(new Lookup(this.trace));
  readonly picked = $derived.by(() => {
    const { ref, loading } = this;
    if (!ref || loading || !this.lookup.tensor(ref.tensor)) return null;
    return pick(this.lookup, this.maps, session.pass, ref);
  });
  readonly shape = $derived(this.ref ? (session.lookup.tensor(this.ref.tensor)?.shape ?? []) : []);

  /** Asks for the coefficients around an element, once for each run. */
  ask(): void {
    const { ref } = this;
    if (!ref) return;
    const functions = connected(session.trace, ref.tensor);
    const request = { ...session.request(), local_jacobians: functions };
    const key = JSON.stringify(request);
    if (key === this.asked) return;
    const isNew = this.told === null || this.trace === session.trace;
    this.asked = key;
    this.leave.abort();
    this.leave = new AbortController();
    this.loading = isNew && functions.length > 0;
    this.failed = false;
    if (functions.length > 0) void this.fetch(request, this.leave.signal, isNew ? 0 : PATIENCE_MS);
  }

  private async fetch(
    request: Parameters<typeof api.trace>[0],
    signal: AbortSignal,
    wait: number,
  ): Promise<void> {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (signal.aborted) return;
    try {
      const told = await api.trace(request, signal);
      if (!signal.aborted) this.told = told;
    } catch {
      if (!signal.aborted) this.failed = true;
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }

  /** Moves to another element of the same array. */
  move(k: number): void {
    const { ref } = this;
    if (!ref || k < 0 || k >= numel(this.shape)) return;
    this.go({ ...ref, k });
  }

  go({ tensor, of, k }: ElementRef): void {
    session.select({ kind: 'tensor', id: tensor, element: k, ...(of === 'value' ? {} : { of }) });
  }

  turn(): void {
    this.direction = this.direction === 'from' ? 'to' : 'from';
  }

  /** Lights what takes part, in the whole picture. */
  light(): void {
    const { picked, ref } = this;
    const all: readonly Light[] = picked?.[this.direction] ?? [];
    const ordered = all.toSorted((x, y) => Number(x.near) - Number(y.near)).slice(-MOST_LIGHTS);
    const cells = ordered.map((light) => ({
      ...light,
      role: light.near ? ('near' as const) : ('far' as const),
      label: `×${formatBriefly(toElement(light.weight))}`,
    }));
    lights.now = lightsOf([...cells, ...(ref ? [{ ...ref, role: 'picked' as const, label: '' }] : [])]);
  }

  /** Whether the run has the array of an element in full. */
  isWhole(ref: ElementRef): boolean {
    return arrayOf(session.trace, session.pass, ref)?.data !== null;
  }

  /** A name for the keyed lists of the page. */
  key(ref: ElementRef): string {
    return keyOf(ref);
  }
}

export const touch = new Touch();

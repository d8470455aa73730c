import type { Isolation } from '../lib/graph/parts/isolation';
import { session } from './session.svelte';

/** What the reader has singled out in the graph of the run at hand. */
class Isolated {
  private chosen = $state.raw<Isolation | null>(null);
  private source = $state('');

  /** Null while all is shown. Of another program nothing is singled out. */
  now = $derived(this.source === session.trace.source ? this.chosen : null);

  /** Singles out a tensor or a function; the same once more shows all. */
  toggle(id: string): void {
    if (this.now?.id === id) return this.clear();
    this.chosen = { id, before: true, after: true };
    this.source = session.trace.source;
  }

  follow(directions: Pick<Isolation, 'before' | 'after'>): void {
    if (this.now) this.chosen = { ...this.now, ...directions };
  }

  clear(): void {
    this.chosen = null;
  }
}

export const isolated = new Isolated();

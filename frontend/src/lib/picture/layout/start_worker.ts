import type { LayoutPort } from './port';

/** The worker that lays out beside the page, with Graphviz. */
export function startWorker(): LayoutPort {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
}

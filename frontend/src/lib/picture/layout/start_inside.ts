import { layOutInLayers } from './layered';
import { finishLayout } from './link_curves';
import type { LayoutAnswer, LayoutPort } from './port';

type Listener = (event: MessageEvent<LayoutAnswer>) => void;

/** In place of the worker, where a page is one file: lays out in layers, without Graphviz, which is larger than the page. */
export function startWorker(): LayoutPort {
  const listeners = new Set<Listener>();
  return {
    postMessage({ ticket, request }) {
      const result = finishLayout(request, layOutInLayers(request));
      for (const listen of listeners) listen(new MessageEvent('message', { data: { ticket, result } }));
    },
    addEventListener: (_, listener) => listeners.add(listener),
    terminate: () => listeners.clear(),
  };
}

import type { Answer, Order } from './worker';
import type { LayoutRequest, LayoutResult } from './types';

export type { Curve, LayoutLink, LayoutNode, LayoutRequest, LayoutResult, Place, Point } from './types';

/** What a layouter needs of a worker. */
export interface Port {
  postMessage(order: Order): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<Answer>) => void): void;
  terminate(): void;
}

/** Lays graphs out beside the page. Only the answer to the latest request counts. */
export interface Layouter {
  request(request: LayoutRequest): void;
  close(): void;
}

function startWorker(): Port {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
}

/** `receive` is called with each layout that is still wanted when it comes. */
export function createLayouter(
  receive: (result: LayoutResult) => void,
  start: () => Port = startWorker,
): Layouter {
  const port = start();
  let latest = 0;
  port.addEventListener('message', ({ data }) => {
    if (data.ticket === latest) receive(data.result);
  });
  return {
    request(request) {
      latest += 1;
      port.postMessage({ ticket: latest, request });
    },
    close() {
      latest += 1;
      port.terminate();
    },
  };
}

/** Two requests of one structure have the same key: the picture need not be laid out anew. */
export function structureKey(request: LayoutRequest): string {
  return JSON.stringify(request);
}

import { recordedLayout } from './recorded_layouts';
import { startWorker } from './start_worker';
import type { LayoutRequest, LayoutResult } from './types';
import type { LayoutAnswer, LayoutPort } from './port';

export type { LayoutPort } from './port';
export type { Curve, LayoutLink, LayoutNode, LayoutRequest, LayoutResult, Rect, Point } from './types';

/** Lays graphs out beside the page. Only the answer to the latest request counts. */
export interface Layouter {
  request(request: LayoutRequest): void;
  /** The answer, if nothing has to be computed. */
  known(request: LayoutRequest): LayoutResult | null;
  /** Starts the worker before it is needed. */
  warm(): void;
  close(): void;
}

/** `receive` is called with each layout that is still wanted when it comes. The worker starts when it is needed. */
export function createLayouter(
  receive: (result: LayoutResult) => void,
  start: () => LayoutPort = startWorker,
): Layouter {
  let port: LayoutPort | null = null;
  let latest = 0;
  const listen = ({ data }: MessageEvent<LayoutAnswer>) => {
    if (data.ticket === latest) receive(data.result);
  };
  const open = () => {
    if (port) return port;
    port = start();
    port.addEventListener('message', listen);
    return port;
  };
  return {
    request(request) {
      latest += 1;
      const known = recordedLayout(request);
      if (known) receive(known);
      else open().postMessage({ ticket: latest, request });
    },
    known: recordedLayout,
    warm: () => void open(),
    close() {
      latest += 1;
      port?.terminate();
    },
  };
}

/** Two requests of one structure have the same key: the picture need not be laid out anew. */
export function structureKey(request: LayoutRequest): string {
  return JSON.stringify(request);
}

import { layOutWithGraphviz } from './graphviz';
import { layOutInLayers } from './layered';
import { finishLayout } from './link_curves';
import type { LayoutAnswer, LayoutOrder } from './port';
import type { LayoutRequest, LayoutResult } from './types';

/** More nodes than this are placed in layers: Graphviz would take seconds. */
const MOST_FOR_GRAPHVIZ = 400;

async function layOut(request: LayoutRequest): Promise<LayoutResult> {
  if (request.nodes.length > MOST_FOR_GRAPHVIZ) return finishLayout(request, layOutInLayers(request));
  try {
    return finishLayout(request, await layOutWithGraphviz(request));
  } catch {
    // A graph that Graphviz cannot draw is still worth a plain picture.
    return finishLayout(request, layOutInLayers(request));
  }
}

addEventListener('message', (event: MessageEvent<LayoutOrder>) => {
  const { ticket, request } = event.data;
  void layOut(request).then((result) => postMessage({ ticket, result } satisfies LayoutAnswer));
});

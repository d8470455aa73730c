import { describe, expect, it } from 'vitest';
import type { Trace } from '../../../api/types';
import first from '../../../fixtures/matrix_product.json';
import { buildGraphModel } from '../../graph/model';
import { buildScene } from '../scene';
import { layOutWithGraphviz } from './graphviz';
import { finishLayout } from './link_curves';
import { recordedLayout } from './recorded_layouts';
import type { LayoutRequest } from './types';

const trace = first as unknown as Trace;
const text = { title: () => '', note: () => '' };

function requestAt(width: number): LayoutRequest {
  return buildScene(trace, buildGraphModel(trace), width, text).request;
}

/** Hundredths of a pixel are enough. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

describe('the layout of the first example', () => {
  it('is recorded as Graphviz draws it (npm test -- -u records it anew)', async () => {
    const requests = [900, 380].map(requestAt);
    const lines = await Promise.all(
      requests.map(async (request) => {
        const result = finishLayout(request, await layOutWithGraphviz(request));
        return `{"request":${JSON.stringify(request)},"result":${JSON.stringify(result, rounded)}}`;
      }),
    );
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('../../../fixtures/first_layout.json');
  });

  it.each([1200, 900, 380, 340])('is known in a pane of %i pixels', (width) => {
    expect(recordedLayout(requestAt(width))).not.toBeNull();
  });

  it('is not taken for that of another graph', () => {
    const request = requestAt(900);
    expect(recordedLayout({ ...request, gap: request.gap + 1 })).toBeNull();
  });
});

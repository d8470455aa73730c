import { describe, expect, it } from 'vitest';
import type { Trace } from '../../../api/types';
import { chain, coupled, product, shared } from '../../../test/samples';
import { buildGraphModel } from '../../graph/model';
import { buildScene } from '../scene';
import { layOutWithGraphviz } from './graphviz';
import {
  createLayouter,
  structureKey,
  type LayoutPort,
  type LayoutRequest,
  type LayoutResult,
  type Rect,
} from './index';
import { layOutInLayers } from './layered';
import { finishLayout, operandAt } from './link_curves';
import type { LayoutAnswer, LayoutOrder } from './port';

const text = { title: () => 'line 1', note: () => '2 functions' };

function requestOf(trace: Trace): LayoutRequest {
  return buildScene(trace, buildGraphModel(trace), 900, text).request;
}

function overlap(a: Rect, b: Rect): boolean {
  const apart =
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  return !apart;
}

function check(request: LayoutRequest, { places, curves, width, height }: LayoutResult): void {
  const all = request.nodes.map(({ id }) => places[id]!);
  for (const [k, one] of all.entries()) {
    expect(one.x >= -0.01 && one.y >= -0.01).toBe(true);
    expect(one.x + one.width <= width + 0.01 && one.y + one.height <= height + 0.01).toBe(true);
    for (const other of all.slice(k + 1)) expect(overlap(one, other)).toBe(false);
  }
  for (const link of request.links) {
    const curve = curves[link.id]!;
    const [source, target] = [places[link.source]!, places[link.target]!];
    expect(curve.length % 3).toBe(1);
    expect(curve[0]!.y).toBeCloseTo(target.y, 3);
    expect(curve.at(-1)!.y).toBeCloseTo(source.y + source.height, 3);
    expect(source.y + source.height).toBeLessThan(target.y);
  }
}

const traces = { product, shared, coupled, chain: () => chain(4), folded: () => chain(30) };

describe.each(Object.entries(traces))('layout of %s', (_, make) => {
  const request = requestOf(make());
  it('by Graphviz runs downward without overlaps', async () => {
    check(request, finishLayout(request, await layOutWithGraphviz(request)));
  });
  it('in layers runs downward without overlaps', () =>
    check(request, finishLayout(request, layOutInLayers(request))));
});

it('keeps operands in their order', async () => {
  const request = requestOf(product());
  for (const draft of [await layOutWithGraphviz(request), layOutInLayers(request)]) {
    const { places, curves } = finishLayout(request, draft);
    expect(places.t0!.x).toBeLessThan(places.t1!.x);
    expect(curves.e0![0]!.x).toBeLessThan(curves.e1![0]!.x);
  }
  expect(operandAt(0, 2)).toBeLessThan(operandAt(1, 2));
  expect(operandAt(0, 1)).toBe(0.5);
});

it('places ten thousand nodes', () => {
  const nodes = Array.from({ length: 10_000 }, (_, k) => ({ id: `n${k}`, width: 80, height: 30 }));
  const links = nodes.slice(1).map(({ id }, k) => ({
    id: `e${k}`,
    source: `n${Math.max(0, k - (k % 3))}`,
    target: id,
    operand: null,
    flies: true,
  }));
  const { places } = layOutInLayers({ nodes, links, clusters: [], gap: 20, flight: 50, space: 20 });
  expect(Object.keys(places)).toHaveLength(10_000);
});

it('has one key for one structure, whatever the numbers', () => {
  const [one, two] = [product(), product()];
  const gradient = { ...two.passes[0]!.gradient, data: [9, 9, 9, 9, 9, 9] };
  two.passes[0]!.gradients.t2 = two.passes[0]!.roots[0]!.gradient = gradient;
  expect(structureKey(requestOf(one))).toBe(structureKey(requestOf(two)));
  expect(structureKey(requestOf(one))).not.toBe(structureKey(requestOf(shared())));
});

it('takes only the answer to the latest request', () => {
  const orders: LayoutOrder[] = [];
  let answer: (event: MessageEvent<LayoutAnswer>) => void = () => {};
  const port: LayoutPort = {
    postMessage: (order) => void orders.push(order),
    addEventListener: (_, listener) => (answer = listener),
    terminate: () => {},
  };
  const received: LayoutResult[] = [];
  const layouter = createLayouter(
    (result) => received.push(result),
    () => port,
  );
  const request = requestOf(shared());
  const result = (width: number): LayoutResult => ({ width, height: 0, places: {}, curves: {} });
  const reply = (ticket: number, width: number) =>
    answer(new MessageEvent('message', { data: { ticket, result: result(width) } }));
  layouter.request(request);
  layouter.request(request);
  reply(orders[0]!.ticket, 1);
  expect(received).toEqual([]);
  reply(orders[1]!.ticket, 2);
  expect(received.map(({ width }) => width)).toEqual([2]);
  layouter.close();
  reply(orders[1]!.ticket, 3);
  expect(received).toHaveLength(1);
});

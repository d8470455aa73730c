import { describe, expect, it } from 'vitest';
import { finishNested } from './link_curves';
import { layOutNested } from './nested';
import { INSIDE } from './spacing';
import type { LayoutLink, LayoutNode, LayoutRequest, Rect } from './types';

const GAPS = { gap: 20, flight: 20, space: 20 };

function node(id: string, width = 100, height = 40): LayoutNode {
  return { id, width, height };
}

function link(source: string, target: string, index: number | null = null): LayoutLink {
  const operand = index === null ? null : { index, of: 2 };
  return { id: `${source}>${target}`, source, target, operand, flies: true };
}

function layOut(request: Partial<LayoutRequest>) {
  const whole: LayoutRequest = { nodes: [], links: [], clusters: [], ...GAPS, ...request };
  return finishNested(whole, layOutNested(whole));
}

function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function holds(outer: Rect, inner: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** A diamond, repeated: each turn reads the last one twice. */
function diamonds(count: number): Pick<LayoutRequest, 'nodes' | 'links'> {
  const nodes = [node('n0')];
  const links: LayoutLink[] = [];
  for (let k = 0; k < count; k += 1) {
    nodes.push(node(`a${k}`), node(`b${k}`), node(`n${k + 1}`));
    links.push(link(`n${k}`, `a${k}`), link(`n${k}`, `b${k}`));
    links.push(link(`a${k}`, `n${k + 1}`, 0), link(`b${k}`, `n${k + 1}`, 1));
  }
  return { nodes, links };
}

describe('a nested layout', () => {
  it('puts functions under what they read, nothing over anything else', () => {
    const { nodes, links } = diamonds(5);
    const { places } = layOut({ nodes, links });
    for (const { source, target } of links)
      expect(places[source]!.y + places[source]!.height).toBeLessThan(places[target]!.y);
    for (const [k, one] of nodes.entries())
      for (const other of nodes.slice(k + 1)) expect(overlap(places[one.id]!, places[other.id]!)).toBe(false);
  });

  it('gives a frame the width that its title takes, with what it holds in the middle', () => {
    const clusters = [{ id: 'turn', members: ['a'], parent: null, title: 30, least: 300 }];
    const { places, frames } = layOut({ nodes: [node('a')], clusters });
    const [frame, inner] = [frames!['turn']!, places['a']!];
    expect(frame.width).toBe(300);
    expect(inner.x + inner.width / 2).toBe(frame.x + frame.width / 2);
    expect(holds(frame, inner)).toBe(true);
  });

  it('keeps operands from left to right', () => {
    const { places } = layOut(diamonds(2));
    expect(places['a0']!.x).toBeLessThan(places['b0']!.x);
  });

  it('draws chains straight, whatever hangs on them', () => {
    const nodes = ['x', 'f', 'g', 'h', 'w'].map((id) => node(id));
    const links = [link('x', 'f'), link('f', 'g', 0), link('w', 'g', 1), link('g', 'h')];
    const { places } = layOut({ nodes, links });
    expect(places['f']!.x).toBe(places['g']!.x);
    expect(places['g']!.x).toBe(places['h']!.x);
  });

  it('holds members and shelf in frames, frames in frames', () => {
    const nodes = [node('x'), node('f'), node('g'), node('w', 80, 60), node('b', 80, 20), node('y')];
    const links = [link('x', 'f'), link('f', 'g'), link('w', 'f'), link('b', 'f'), link('g', 'y')];
    const clusters = [
      { id: 'outer', members: ['f', 'g', 'w', 'b'], parent: null, title: 30 },
      { id: 'inner', members: ['f', 'w', 'b'], parent: 'outer', title: 0, shelf: ['w', 'b'] },
    ];
    const { places, frames, curves } = layOut({ nodes, links, clusters });
    expect(holds(frames!['outer']!, frames!['inner']!)).toBe(true);
    for (const id of ['f', 'w', 'b']) expect(holds(frames!['inner']!, places[id]!)).toBe(true);
    expect(holds(frames!['outer']!, places['g']!)).toBe(true);
    expect(overlap(frames!['inner']!, places['g']!)).toBe(false);
    expect(places['w']!.x).toBe(places['b']!.x);
    expect(places['w']!.x - places['f']!.x - places['f']!.width).toBe(INSIDE.shelf);
    const way = curves['w>f']!;
    expect(way[0]!.x).toBe(places['f']!.x + places['f']!.width);
    expect(way.at(-1)!.x).toBe(places['w']!.x);
  });

  it('stays within its room: what does not fit beside stands below', () => {
    const nodes = [node('x'), ...[...Array(9).keys()].map((k) => node(`f${k}`))];
    const links = nodes.slice(1).map(({ id }) => link('x', id));
    const { places, width } = layOut({ nodes, links, room: 350 });
    // Six links pass the layers before their function, each in a lane.
    expect(width).toBeLessThanOrEqual(350 + 6 * 20);
    expect(new Set(nodes.slice(1).map(({ id }) => places[id]!.y)).size).toBe(3);
  });

  it('leads long links past what is between', () => {
    const nodes = ['x', 'f', 'g', 'y'].map((id) => node(id));
    const links = [link('x', 'f'), link('f', 'g'), link('g', 'y', 0), link('x', 'y', 1)];
    const { places, curves } = layOut({ nodes, links });
    const inner = curves['x>y']!.slice(1, -1).filter((_, k) => k % 3 === 2);
    expect(inner).toHaveLength(2);
    for (const { x, y } of inner)
      for (const id of ['f', 'g']) expect(holds(places[id]!, { x, y, width: 0, height: 0 })).toBe(false);
  });

  it('puts constants beside what reads them, and what is folded into its box', () => {
    const nodes: LayoutNode[] = [
      node('x'),
      node('box', 300, 60),
      { ...node('w', 50, 20), within: { box: 'box', x: 200, y: 10 } },
      { ...node('t', 60, 50), beside: 'loss' },
      node('loss'),
    ];
    const links = [link('x', 'box'), link('box', 'loss', 0), link('t', 'loss', 1), link('w', 'box')];
    const { places, curves } = layOut({ nodes, links });
    expect(places['w']).toMatchObject({ x: places['box']!.x + 200, y: places['box']!.y + 10 });
    expect(places['t']!.x).toBeGreaterThan(places['loss']!.x + places['loss']!.width);
    expect(places['t']!.y + 25).toBe(places['loss']!.y + 20);
    expect(curves['w>box']).toBeUndefined();
  });

  it('is the same for the same graph, and cuts a circle rather than fail', () => {
    const request = { ...diamonds(3) };
    expect(layOut(request)).toEqual(layOut(request));
    const nodes = [node('a'), node('b')];
    const { places } = layOut({ nodes, links: [link('a', 'b'), link('b', 'a')] });
    expect(overlap(places['a']!, places['b']!)).toBe(false);
  });
});

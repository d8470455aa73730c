import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { trainingLoop } from '../../test/loops';
import { chain, product } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { courseOf } from '../animation/course';
import { buildTimeline } from '../animation/timeline';
import { GraphSource } from '../graph/source';
import { fitScale, type Pane } from './camera';
import { compose, LEGIBLE, type Picture, type RowScene } from './compose';

const text = { title: () => 'module 1 · Linear', note: () => '2 functions' };

const PANE: Pane = { width: 996, height: 760, insets: { top: 90, right: 378, bottom: 44, left: 20 } };

function picture(trace: Trace, pane = PANE): Picture {
  const source = new GraphSource(trace, courseOf(trace, buildTimeline(trace)));
  return compose(source, source.turns.at(0), {}, pane, text);
}

function rows(trace: Trace, pane = PANE): RowScene {
  const found = picture(trace, pane);
  if (found.style !== 'rows') throw new Error('this is a picture of cards');
  return found;
}

/** `layers` linear layers and activations, one after the other, and so many functions `after` them. */
function network(layers: number, after = 0): Trace {
  const sketch = new Sketch();
  let h = sketch.constant({ name: 'x', shape: [16, 8] });
  const net = sketch.place('module', 'net · Sequential');
  for (let k = 0; k < layers; k += 1) {
    const place = sketch.place('module', `${2 * k} · Linear`, net);
    const scope = ['net', String(2 * k)];
    const weight = sketch.leaf(`net.${2 * k}.weight`, [8, 8]);
    const bias = sketch.leaf(`net.${2 * k}.bias`, [8]);
    const turned = sketch.apply('t', [weight], {}, { place, scope });
    h = sketch.apply('affine', [h, turned, bias], { shape: [16, 8] }, { place, scope });
    h = sketch.apply('relu', [h], {}, { place: sketch.place('module', `${2 * k + 1} · ReLU`, net) });
  }
  for (let k = 0; k < after; k += 1) h = sketch.apply('relu', [h], { name: `h${k}` });
  sketch.backward(sketch.apply('sum', [h], { name: 'loss', shape: [] }));
  return sketch.trace();
}

function leavesOf({ model, layout }: RowScene): string[] {
  return model.cards.filter(({ bucket, id }) => bucket && layout.places[id]).map(({ label }) => label);
}

describe('compose', () => {
  it('draws a small graph in cards, a training loop and modules in rows', () => {
    expect(picture(product()).style).toBe('cards');
    expect(picture(trainingLoop(3)).style).toBe('rows');
    expect(picture(network(1)).style).toBe('rows');
  });

  it('opens modules while there is room, and shows each leaf', () => {
    const small = rows(network(2));
    expect(small.model.groupFrames.map(({ shelf }) => shelf.length)).toEqual([2, 2]);
    expect(small.model.foldedGroups).toEqual([]);
    const large = rows(network(6));
    expect(large.model.foldedGroups.length).toBeGreaterThan(0);
    expect(leavesOf(large)).toHaveLength(12);
    for (const scene of [small, large]) expect(fitScale(scene.layout, PANE)).toBeGreaterThanOrEqual(LEGIBLE);
  });

  it('draws the t of a linear layer as part of the layer, and functions with their results', () => {
    const { model } = rows(network(1));
    expect(model.pills).toEqual([]);
    const makers = model.cards.flatMap(({ maker }) => maker ?? []);
    expect(makers.map(({ label }) => label)).toEqual(['linear', 'relu', 'sum']);
    expect(makers[0]!.absorbed.map(({ op }) => op)).toEqual(['t']);
    const weight = model.cards.find(({ label }) => label === 'net.0.weight')!;
    expect(model.links.find(({ source }) => source === weight.id)!.edges).toHaveLength(1);
  });

  it('shows at most forty cards of two hundred statements', () => {
    const scene = rows(chain(200));
    expect(scene.model.cards.length + scene.model.foldedGroups.length).toBeLessThanOrEqual(40);
    expect(leavesOf(scene)).toEqual(['w', 'h0']);
  });

  it('fits into a narrow pane', () => {
    const pane: Pane = { width: 390, height: 480, insets: { top: 18, right: 20, bottom: 44, left: 20 } };
    const { layout } = rows(network(2), pane);
    expect(fitScale(layout, pane)).toBeGreaterThan(0.75);
  });
});

describe('leaves that would go out of sight', () => {
  it('stand together above the picture, in columns, and stay in sight', () => {
    const scene = rows(network(6, 12));
    const leaves = scene.model.cards.filter(({ bucket }) => bucket);
    expect(leaves).toHaveLength(12);
    expect(leaves.every(({ shelf }) => shelf === null)).toBe(true);
    const places = leaves.map(({ id }) => scene.layout.places[id]!);
    expect(new Set(places.map(({ x }) => x)).size).toBeGreaterThan(1);
    expect(leaves.every(({ id }) => scene.band!.cards.has(id))).toBe(true);
    expect(Math.max(...places.map(({ y }) => y))).toBeLessThan(scene.band!.bottom);
  });

  it('have lines that are drawn while something moves along them: their names say where they belong', () => {
    const { model, layout } = rows(network(6, 12));
    const leaves = new Set(model.cards.filter(({ bucket }) => bucket).map(({ id }) => id));
    const links = model.links.filter(({ source }) => leaves.has(source));
    expect(links.length).toBeGreaterThan(0);
    for (const { id, quiet } of links) expect([quiet, layout.curves[id] !== undefined]).toEqual([true, true]);
  });

  it('stay on their shelves where all of them are in sight in any case', () => {
    const { model } = rows(network(2));
    expect(model.cards.filter(({ bucket, shelf }) => bucket && shelf === null)).toEqual([]);
  });
});

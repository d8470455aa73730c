import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { chain, coupled, product, shared, ungiven } from '../../test/samples';
import { activeNodeIn, isGroupDim, isGroupMade, linkState } from '../animation/folded_state';
import { Animation } from '../animation/frame';
import { buildTimeline } from '../animation/timeline';
import { buildGraphModel } from '../graph/model';
import { layOutInLayers } from './layout/layered';
import { finishLayout } from './layout/link_curves';
import { buildScene, chipScale, pictureBounds, placeChip, placeTags, TAG } from './scene';

const text = { title: () => 'line 1', note: () => '2 functions' };

function stage(trace: Trace, width = 900) {
  const model = buildGraphModel(trace);
  const scene = buildScene(trace, model, width, text);
  const layout = finishLayout(scene.request, layOutInLayers(scene.request));
  const timeline = buildTimeline(trace);
  return { model, scene, layout, timeline, animation: new Animation(trace, timeline) };
}

describe('buildScene', () => {
  it('makes cells smaller where there is less room', () => {
    expect(stage(product()).scene.density).toBe('roomy');
    expect(stage(product(), 390).scene.density).toBe('tight');
    expect(stage(shared()).scene.density).toBe('roomy');
    expect(stage(chain(5)).scene.density).toBe('dense');
  });
  it('draws the cards of a deep graph wide', () => {
    const arrangement = (trace: Trace, width?: number) =>
      stage(trace, width).scene.cardPlans.get('t0')?.arrangement;
    expect(arrangement(product())).toBe('stacked');
    expect(arrangement(shared())).toBe('wide');
    expect(arrangement(shared(), 390)).toBe('stacked');
  });
});

it('has room for frames that stand out of the graph', () => {
  const { layout } = stage(product());
  const frame = { x: -20, y: -30, width: layout.width + 50, height: 10 };
  expect(pictureBounds(layout, [], [frame])).toEqual({
    x: -20,
    y: -30,
    width: layout.width + 50,
    height: layout.height + 30,
  });
});

describe('tags', () => {
  it('stand beside the card that the gradient is given to', () => {
    for (const trace of [product(), ungiven()]) {
      const { layout } = stage(trace);
      const [[id, tag] = ['', null]] = [...placeTags(trace, layout)];
      expect(tag!.x + TAG.width).toBeLessThanOrEqual(layout.places[id]!.x);
      const right = placeTags(trace, layout, 'right').get(id)!;
      expect(right.x).toBeGreaterThan(layout.places[id]!.x);
      expect(pictureBounds(layout, [tag!], []).x).toBeLessThanOrEqual(tag!.x);
    }
  });
});

describe('chips', () => {
  it('run from the function to the tensor, and wait side by side', () => {
    const { model, layout, timeline, animation } = stage(shared());
    const add = timeline.segments.find((segment) => segment.kind === 'add' && segment.tensor === 't0')!;
    const placed = animation.at(add.start).chips.map((chip) => {
      const link = model.links.find((each) => each.edges.includes(chip.edge))!;
      expect(chipScale(chip)).toBe(1);
      return placeChip(chip, layout, link.id, link.source)!;
    });
    const xs = placed.map(({ x }) => x);
    expect(xs).toEqual(xs.toSorted((a, b) => a - b));
    expect(new Set(placed.map(({ y }) => y)).size).toBe(1);
    expect(placed[0]!.y).toBeGreaterThan(layout.places.t0!.y + layout.places.t0!.height);
  });

  it('have no place on a link that is not drawn', () => {
    const { layout, animation, timeline } = stage(product());
    const send = timeline.segments.find((segment) => segment.kind === 'send')!;
    const [chip] = animation.at(send.start + 200).chips;
    expect(placeChip(chip!, layout, 'none', 't1')).toBeNull();
  });
});

describe('folded groups', () => {
  const { model, timeline, animation } = stage(chain(30));
  const [group] = model.foldedGroups;
  it('are at work while one of their functions is', () => {
    const inside = new Set(group!.group.nodes.map((node) => node.id));
    for (const segment of timeline.segments) {
      const frame = animation.at(segment.start + 1);
      const working = inside.has(segment.node ?? '') ? segment.node : null;
      expect(activeNodeIn(group!, frame)).toBe(working);
      if (working) expect(isGroupDim(group!, frame)).toBe(false);
    }
  });
  it('hand on a value once it is made', () => {
    const folded = stage(coupled());
    const group = folded.model.foldedGroups[0]!;
    expect(isGroupMade(group, folded.animation.at(0))).toBe(false);
    expect(isGroupMade(group, folded.animation.at(folded.timeline.duration))).toBe(true);
  });
  it('show on a shared line the edge that moves', () => {
    const folded = stage(coupled());
    const link = folded.model.links.find((each) => each.edges.length > 1)!;
    const send = folded.timeline.segments.find(
      (segment) => segment.kind === 'send' && link.edges.includes(segment.deliveries[0]!.edge),
    )!;
    expect(linkState(link, folded.animation.at(send.start + 200)).trail).toBe(true);
  });
});

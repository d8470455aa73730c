import { describe, expect, it } from 'vitest';
import { chain, coupled, product, shared, ungiven } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { buildGraphModel } from './model';

describe('buildGraphModel', () => {
  it('draws tensors as cards and functions as pills', () => {
    const { cards, pills, links, foldedGroups } = buildGraphModel(product());
    expect(cards.map((card) => [card.label, card.bucket, card.gradient])).toEqual([
      ['a', true, false],
      ['b', true, false],
      ['c', false, true],
    ]);
    expect(pills.map((pill) => pill.label)).toEqual(['mm']);
    expect(links.map((link) => [link.source, link.target, link.operand])).toEqual([
      ['t0', 'n0', { index: 0, of: 2 }],
      ['t1', 'n0', { index: 1, of: 2 }],
      ['n0', 't2', null],
    ]);
    expect(foldedGroups).toEqual([]);
  });

  it('draws what the trace shows', () => {
    const sketch = new Sketch();
    const a = sketch.leaf('a');
    const c = sketch.apply('exp', [a], { name: 'c' });
    const ones = sketch.apply('ones_like', [c], { expression: 'ones_like(c)' }, { kind: 'constant' });
    sketch.backward(c);
    const shown = sketch.trace().shown.filter((id) => id !== ones.id && id !== 'n1');
    const { cards, pills } = buildGraphModel(sketch.trace({ shown }));
    expect(cards.map((card) => card.id)).not.toContain(ones.id);
    expect(pills.map((pill) => pill.label)).toEqual(['exp']);
  });

  it('shows a program without backward whole', () => {
    const sketch = new Sketch();
    const x = sketch.constant({ name: 'x' });
    sketch.apply('add', [x, x], { name: 'y' });
    const { cards, links } = buildGraphModel(sketch.trace());
    expect(cards.map((card) => [card.label, card.constant])).toEqual([
      ['x', true],
      ['y', true],
    ]);
    expect(links.every((link) => link.constant)).toBe(true);
  });

  it('draws versions as cards of their own and names what is written', () => {
    const { cards, pills } = buildGraphModel(coupled());
    const ys = cards.filter((card) => card.label === 'y');
    expect(ys.map((card) => card.version)).toEqual([null, 1, 2]);
    expect(ys.map((card) => card.ambiguous)).toEqual([true, true, false]);
    const writes = pills.filter((pill) => pill.region);
    expect(writes.map((pill) => [pill.label, pill.region])).toEqual([
      ['y[0] =', { shape: [2], elements: [0] }],
      ['y[1] =', { shape: [2], elements: [1] }],
    ]);
  });

  it('keeps a tensor that is used twice by one function on two links', () => {
    const { links } = buildGraphModel(shared());
    const toSquare = links.filter((link) => link.target === 'n0');
    expect(toSquare.map((link) => link.operand?.index)).toEqual([0, 1]);
  });

  it('marks the place of a gradient that was asked for', () => {
    const { cards } = buildGraphModel(ungiven());
    expect(cards.find((card) => card.label === 'c')?.gradient).toBe(true);
  });

  it('ties a view to what it was made from', () => {
    const sketch = new Sketch();
    const x = sketch.leaf('x', [4]);
    const v = sketch.apply('view', [x], { name: 'v', shape: [2, 2] });
    sketch.tensors.at(-1)!.view_of = x.id;
    sketch.backward(v);
    expect(buildGraphModel(sketch.trace()).ties).toEqual([{ id: `tie:${v.id}`, base: x.id, view: v.id }]);
  });
});

describe('folding', () => {
  const large = chain(30);

  it('folds lines by itself only where the graph is large', () => {
    expect(buildGraphModel(chain(3)).foldedGroups).toEqual([]);
    const { foldedGroups, pills } = buildGraphModel(large);
    expect(pills).toEqual([]);
    expect(foldedGroups.map(({ group }) => `${group.kind} ${group.title}`)).toEqual([
      'paragraph 3–10',
      'paragraph 11–18',
      'paragraph 19–26',
      'paragraph 27–32',
    ]);
  });

  it('unfolds what the reader unfolds, within a frame', () => {
    const [first] = buildGraphModel(large).foldedGroups;
    const { foldedGroups, groupFrames } = buildGraphModel(large, { [first!.id]: false });
    expect(foldedGroups.map(({ group }) => group.kind)).toEqual([
      ...Array<string>(8).fill('line'),
      ...Array<string>(3).fill('paragraph'),
    ]);
    const line = foldedGroups[0]!.id;
    const inner = buildGraphModel(large, { [first!.id]: false, [line]: false });
    expect(inner.pills.map((pill) => pill.label)).toEqual(['mm', 'exp']);
    expect(groupFrames.map(({ group }) => group.id)).toEqual([first!.id]);
    expect(inner.groupFrames.map(({ parent }) => parent)).toEqual([null, first!.id]);
    expect(inner.groupFrames[1]!.members).toContain(inner.pills[0]!.id);
  });

  it('leaves no link without ends and keeps every edge that crosses a fold', () => {
    for (const trace of [large, coupled(), shared()]) {
      const { cards, pills, foldedGroups, links, elementOf } = buildGraphModel(trace);
      const drawn = new Set([...cards, ...pills, ...foldedGroups].map(({ id }) => id));
      for (const { source, target } of links) expect(drawn.has(source) && drawn.has(target)).toBe(true);
      const carried = new Set(links.flatMap((link) => link.edges));
      for (const edge of trace.edges) {
        const inner = elementOf.get(edge.source) === elementOf.get(edge.target);
        expect(carried.has(edge.id)).toBe(!inner);
      }
    }
  });

  it('hands on the one unnamed value that leaves a fold', () => {
    const { foldedGroups, cards } = buildGraphModel(coupled());
    expect(foldedGroups.map((folded) => [folded.group.title, folded.value?.id])).toEqual([
      ['6', 't9'],
      ['7', 't18'],
    ]);
    expect(cards.map((card) => card.id)).toEqual(['t0', 't1', 't10', 't19']);
  });

  it('folds what a backward pass with create_graph made', () => {
    const sketch = new Sketch();
    const x = sketch.leaf('x');
    const g = sketch.apply('mul', [x], {}, { pass_id: 'p0' });
    const h = sketch.apply('mul', [g], { name: 'g' }, { pass_id: 'p0' });
    sketch.backward(h);
    const { foldedGroups } = buildGraphModel(sketch.trace());
    expect(foldedGroups.map((folded) => [folded.group.kind, folded.group.nodes.length])).toEqual([
      ['pass', 2],
    ]);
  });
});

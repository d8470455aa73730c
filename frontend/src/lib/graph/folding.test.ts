import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { Sketch, type Sketched } from '../../test/sketch';
import { visiblePart } from '../trace/visibility';
import type { Group } from './folding';
import { contextOf } from './context';
import { foldAt, groupsOf } from './folding';
import { buildGraphModel, modelOf } from './model';

/** The groups of a trace as an indented list. */
function outlineOf(trace: Trace): string[] {
  const { nodes, tensors } = visiblePart(trace);
  const write = (group: Group): string[] => [
    `${'  '.repeat(group.depth)}${group.kind} ${group.title}: ${group.nodes.map((node) => node.op).join(' ')}`,
    ...group.children.filter((child) => child.kind !== 'line').flatMap(write),
  ];
  return groupsOf(trace, nodes, tensors).flatMap(write);
}

function linear(sketch: Sketch, input: Sketched, name: string, place: string, line: number): Sketched {
  const weight = sketch.leaf(`${name}.weight`, [2, 2]);
  const scope = name.split('.');
  const turned = sketch.apply('t', [weight], { line }, { place, scope });
  return sketch.apply('affine', [input, turned], { line }, { place, scope });
}

/** `net = nn.Sequential(Block(2), nn.ReLU(), nn.Linear(2, 2))`, called on line 6; a block is `x + self.lin(x)` on line 3. */
function modules(): Trace {
  const sketch = new Sketch();
  const x = sketch.constant({ name: 'x', shape: [2, 2] });
  const net = sketch.place('module', 'net · Sequential');
  const block = sketch.place('module', '0 · Block', net);
  const inner = linear(sketch, x, 'net.0.lin', sketch.place('module', 'lin · Linear', block), 3);
  const sum = sketch.apply('add', [x, inner], { line: 3 }, { place: block });
  const relu = sketch.apply('relu', [sum], { line: 6 }, { place: sketch.place('module', '1 · ReLU', net) });
  const out = linear(sketch, relu, 'net.2', sketch.place('module', '2 · Linear', net), 6);
  const y = sketch.apply('sum', [out], { name: 'y', shape: [], line: 7 });
  sketch.backward(y);
  return sketch.trace();
}

/** A loop that calls a function of two lines in a turn. */
function loop(turns: number): Trace {
  const sketch = new Sketch();
  let h = sketch.leaf('h');
  const whole = sketch.place('loop', 'for k in range(3)');
  for (let k = 0; k < turns; k += 1) {
    const turn = sketch.place('turn', `k = ${k}`, whole, { turn: k, variable: `k = ${k}` });
    const place = sketch.place('call', 'f', turn);
    for (let time = 0; time < 2; time += 1) {
      const d = sketch.apply('mul', [h], { name: 'd', line: 2 }, { place });
      h = sketch.apply('exp', [d], { line: 3 }, { place });
    }
    h = sketch.apply('neg', [h], { name: 'h', line: 6 }, { place: turn });
  }
  sketch.backward(h);
  return sketch.trace();
}

/** `main()` computes `y` in a function, and calls `y.backward()` where it is told to. */
function called(trains: boolean, before = 0): Trace {
  const sketch = new Sketch({ told: true });
  const x = sketch.leaf('x');
  for (let time = 0; time < before; time += 1) sketch.apply('exp', [x], { line: 9 });
  const main = sketch.place('call', 'main');
  const f = sketch.place('call', 'f', main);
  const h = sketch.apply('exp', [sketch.apply('mul', [x], { line: 2 }, { place: f })], {}, { place: f });
  const y = sketch.apply('sum', [h], { name: 'y', shape: [], line: 5 }, { place: main });
  sketch.here = trains ? main : null;
  sketch.backward(y);
  return sketch.trace();
}

describe('groups', () => {
  it('are not the functions that train, where most of the picture happens in them', () => {
    expect(outlineOf(called(true))).toEqual(['call f: mul exp']);
    expect(outlineOf(called(false))).toEqual(['call main: mul exp sum', '  call f: mul exp']);
    expect(outlineOf(called(true, 4)).slice(-2)).toEqual(['call main: mul exp sum', '  call f: mul exp']);
  });

  it('are the modules that functions ran in', () => {
    expect(outlineOf(modules())).toEqual([
      'module net: t affine add relu t affine',
      '  module net.0: t affine add',
      '    module net.0.lin: t affine',
      '  module net.2: t affine',
    ]);
  });

  it('are the turns of a loop, and the calls within', () => {
    expect(outlineOf(loop(2))).toEqual([
      'turn 1: mul exp mul exp neg',
      '  call f: mul exp mul exp',
      'turn 2: mul exp mul exp neg',
      '  call f: mul exp mul exp',
    ]);
  });
});

describe('a picture', () => {
  it('of a small graph is unfolded, with a frame around each group', () => {
    const { foldedGroups, groupFrames } = buildGraphModel(modules());
    expect(foldedGroups).toEqual([]);
    expect(
      groupFrames.map(({ group, parent, layers }) => [group.title, parent?.split('#')[0] ?? null, layers]),
    ).toEqual([
      ['net.0', null, 1],
      ['net.0.lin', 'module:net.0', 0],
      ['net.2', null, 0],
    ]);
    expect(groupFrames[1]!.members).toEqual(['n0', 'n1', 't1', 't2', 't3']);
  });

  it('shows of a folded module what enters and what leaves; its parameters stand on its shelf', () => {
    const context = contextOf(modules());
    const groups = groupsOf(context.trace, context.nodes, context.tensors);
    const folding = foldAt(groups, { 'module:net#0': true }, { depth: Infinity, lines: false });
    const { foldedGroups, cards, pills, links } = modelOf(context, folding, 'rows');
    expect(cards.map(({ label, shelf }) => [label, shelf])).toEqual([
      ['x', null],
      ['net.0.lin.weight', 'module:net#0'],
      ['net.2.weight', 'module:net#0'],
      ['y', null],
    ]);
    expect(pills).toEqual([]);
    expect(cards.at(-1)!.maker!.label).toBe('sum');
    expect(foldedGroups.map((folded) => [folded.group.title, folded.value?.node, folded.gradient])).toEqual([
      ['net', 'n5', true],
    ]);
    expect(foldedGroups[0]!.shelf).toEqual([cards[1]!.id, cards[2]!.id]);
    expect(links.map((link) => [link.source, link.target])).toEqual([
      ['t0', 'module:net#0'],
      ['module:net#0', 't9'],
    ]);
  });

  it('has parameters of modules that are not in the picture on the shelf of what alone reads them', () => {
    const sketch = new Sketch();
    const x = sketch.constant({ name: 'x', shape: [2, 2] });
    const weights = ['flows.0.weight', 'flows.1.weight', 'shared.weight', 'own'].map((name) =>
      sketch.leaf(name, [2, 2]),
    );
    let h: Sketched = x;
    for (const turn of [1, 2]) {
      const place = sketch.place('turn', String(turn));
      for (const weight of [weights[turn - 1]!, weights[2]!, ...(turn === 1 ? [weights[3]!] : [])])
        h = sketch.apply('mm', [h, weight], {}, { place });
    }
    sketch.backward(sketch.apply('sum', [h], { name: 'y', shape: [] }));
    const context = contextOf(sketch.trace());
    const groups = groupsOf(context.trace, context.nodes, context.tensors);
    const shut = Object.fromEntries(groups.map(({ id }) => [id, true]));
    const { cards, foldedGroups } = modelOf(
      context,
      foldAt(groups, shut, { depth: Infinity, lines: false }),
      'rows',
    );
    const [first, second] = foldedGroups.map(({ group }) => group.id);
    expect(cards.filter(({ bucket }) => bucket).map(({ label, shelf }) => [label, shelf])).toEqual([
      ['flows.0.weight', first],
      ['flows.1.weight', second],
      ['shared.weight', null],
      ['own', null],
    ]);
  });

  it('of a folded call hides the names inside', () => {
    const call = buildGraphModel(loop(1)).groupFrames.find(({ group }) => group.kind === 'call')!;
    const { cards } = buildGraphModel(loop(1), { [call.group.id]: true });
    expect(cards.map((card) => card.label)).toEqual(['h', 'h']);
  });

  it('of a large graph is folded only as far as lets it fit', () => {
    const few = buildGraphModel(loop(4));
    expect(few.foldedGroups.map((folded) => folded.group.kind)).toEqual(Array(4).fill('call'));
    expect(few.groupFrames.map((frame) => frame.group.kind)).toEqual(Array(4).fill('turn'));
    const many = buildGraphModel(loop(14));
    expect(many.foldedGroups.map((folded) => `${folded.group.kind} ${folded.group.title}`)).toEqual(
      Array.from({ length: 14 }, (_, k) => `turn ${k + 1}`),
    );
  });

  it('keeps all else as it is where the reader unfolds one group', () => {
    const trace = loop(14);
    const first = buildGraphModel(trace).foldedGroups[0]!.id;
    const { foldedGroups, groupFrames } = buildGraphModel(trace, { [first]: false });
    expect(groupFrames.map((frame) => frame.group.id)).toEqual([first]);
    expect(foldedGroups.map((folded) => folded.group.kind)).toEqual(['call', ...Array(13).fill('turn')]);
  });

  it('tells a turn by its number and its variable, and separates calls', () => {
    const [turn] = groupsOf(loop(1), visiblePart(loop(1)).nodes, []);
    expect([turn!.title, turn!.variable, turn!.line]).toEqual(['1', 'k = 0', 1]);
    const sketch = new Sketch();
    let h = sketch.leaf('h');
    for (let call = 0; call < 2; call += 1) {
      const place = sketch.place('call', 'f');
      for (const op of ['mul', 'sum']) h = sketch.apply(op, [h], {}, { place });
    }
    sketch.backward(h);
    expect(outlineOf(sketch.trace())).toEqual(['call f: mul sum', 'call f: mul sum']);
  });
});

import { expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { HIDDEN_PRINT, harmlessPrints, otherGradients, printsAfter, withPrints } from './prints';

const asked = { pass: 0, tensor: 't0' };

/** A run whose pass is followed by prints: each a line of the program and what it prints. */
function printing(lines: [string, string][], gradient = [0.5, 3], place: string | null = null): Trace {
  const source = ['y.backward(v)', ...lines.map(([line]) => line)].join('\n');
  const printed = lines.map(([line, text], k) => ({
    kind: 'print',
    text,
    place,
    span: { line: k + 2, column: 0, end_line: k + 2, end_column: line.length },
  }));
  const value = { shape: [2], dtype: 'float32', data: gradient, summary: null };
  const pass = {
    id: 'p0',
    gradient: { ...value, data: [1, 1] },
    gradients: { t0: value },
    steps: [],
    accumulations: [],
  };
  return {
    source,
    stdout: '',
    places: [{ id: 's1', kind: 'call', parent: null }],
    nodes: [],
    edges: [],
    passes: [pass],
    events: [{ kind: 'pass', pass: 'p0' }, ...printed],
  } as unknown as Trace;
}

function told(lines: [string, string][], others: string[][], place: string | null = null): number[] {
  const runs = others.map((texts) => printing(texts.map((text, k) => [lines[k]![0], text])));
  return [...harmlessPrints(printing(lines, [0.5, 3], place), asked, runs)];
}

it('shows what is the same whatever the gradient is', () => {
  const lines: [string, string][] = [
    ["print('done')", 'done\n'],
    ['print(loss)', 'tensor(7.)\n'],
    ['print(w)', 'tensor(8.)\n'],
  ];
  const same = ['done\n', 'tensor(7.)\n', 'tensor(9.)\n'];
  expect(told(lines, [same, same])).toEqual([0, 1]);
});

it('hides a number of the answer, and what has its name from a gradient', () => {
  const lines: [string, string][] = [
    ["print('three, that is 3.0')", '3.0\n'],
    ['n = x.grad / x.grad.norm()', ''],
    ['m = n.abs()', ''],
    ['print(m)', '1.\n'],
    ['print(-0.5)', '-0.5\n'],
  ];
  const texts = lines.map(([, text]) => text);
  expect(told(lines, [texts, texts])).not.toEqual(expect.arrayContaining([0]));
  expect(told(lines, [texts, texts])).not.toEqual(expect.arrayContaining([3]));
  expect(told(lines, [texts, texts])).not.toEqual(expect.arrayContaining([4]));
});

it('shows nothing where it cannot tell: no other run, other prints, a gradient of 0, a line within a function', () => {
  const lines: [string, string][] = [["print('done')", 'done\n']];
  expect(told(lines, [])).toEqual([]);
  expect(told(lines, [['done\n'], []])).toEqual([]);
  expect(told(lines, [['done\n']], 's1')).toEqual([]);
  const zero = printing(lines, [0, 3]);
  expect([...harmlessPrints(zero, asked, [zero])]).toEqual([]);
});

it('puts a sign in the place of what is hidden, one for a run of them', () => {
  const trace = printing([
    ['print(x.grad)', '9\n'],
    ['print(x.grad)', '9\n'],
    ["print('done')", 'done\n'],
    ['print(x.grad)', '9\n'],
  ]);
  const { stdout } = withPrints({ ...trace, stdout: 'before\n' }, trace, asked, new Set([2]));
  expect(stdout).toBe(`before\n${HIDDEN_PRINT}done\n${HIDDEN_PRINT}`);
});

it('gives two gradients that are no multiple of the given one or of each other', () => {
  const trace = printing([]);
  const [first, second] = otherGradients(trace, asked) as number[][];
  expect(first).toHaveLength(2);
  expect(first![0]! * second![1]!).not.toBeCloseTo(first![1]! * second![0]!);
  expect(first![0]).not.toBeCloseTo(first![1]!);
  expect(printsAfter(trace, asked)).toEqual([]);
});

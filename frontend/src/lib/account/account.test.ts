import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import first from '../../fixtures/matrix_product.json';
import { en } from '../../i18n/en';
import { zh } from '../../i18n/zh';
import { accountOf } from './account';
import { diagramOf } from './diagram';
import { markdownOf } from './markdown';
import { valueText } from './values';

const trace = first as unknown as Trace;

describe('the account of a run', () => {
  const account = accountOf(en, trace);

  it('has every tensor with its numbers', () => {
    expect(account.tensors.map(({ name, shape, value, grad }) => [name, shape, value, grad])).toEqual([
      ['a', '2×2', '[[1, 2], [3, 4]]', '[[6, 15], [6, 15]]'],
      ['b', '2×3', '[[1, 2, 3], [4, 5, 6]]', '[[4, 4, 4], [6, 6, 6]]'],
      ['c', '2×3', '[[9, 12, 15], [19, 26, 33]]', null],
    ]);
  });

  it('tells every step in words, with the numbers that it makes', () => {
    expect(account.chapters.map(({ heading }) => heading)).toEqual(['forward', 'backward #1', 'print']);
    const [, pass] = account.chapters;
    expect(pass?.steps.map(({ sentence }) => sentence.split('.')[0])).toEqual([
      '**Arrive',
      '**Rule',
      '**Share',
      '**Add',
      '**Share',
      '**Add',
    ]);
    expect(pass?.steps[5]?.numbers).toEqual([{ name: 'a.grad', text: '[[6, 15], [6, 15]]' }]);
  });

  it('speaks Chinese too', () => {
    const told = accountOf(zh, trace).chapters.flatMap(({ steps }) => steps);
    expect(told.every(({ sentence }) => /[\u4e00-\u9fff]/.test(sentence))).toBe(true);
  });
});

describe('its Markdown', () => {
  const frame = { title: 'A run', link: 'http://x/#y', diagram: diagramOf(trace) };

  it('has no code that ends before its end, and no cell that is two', () => {
    const account = {
      ...accountOf(en, trace),
      program: 'print("```")',
      tensors: [{ name: 'a | b', shape: '', isLeaf: true, requiresGrad: true, value: '1', grad: null }],
    };
    const text = markdownOf(en, account, frame);
    expect(text).toContain('````python\nprint("```")\n````');
    expect(text).toContain('| `a \\| b` |  | `1` |  |');
  });

  it('has the graph as a diagram, where it is not too large', () => {
    expect(frame.diagram).toContain('n0 --> t2');
    expect(frame.diagram).toContain('n0(["MmBackward0"])');
    expect(diagramOf({ ...trace, shown: [] })).toBeNull();
  });
});

describe('an array in words', () => {
  const base = { dtype: 'float32', summary: null } as const;

  it.each([
    [[], [3], '3'],
    [[0], [], '[]'],
    [[2, 0], [], '[[], []]'],
    [[2], [1.5, 'NaN'], '[1.5, nan]'],
  ])('of shape %j', (shape, data, text) => expect(valueText({ ...base, shape, data } as never)).toBe(text));

  it('is told by its norm where it is long', () =>
    expect(valueText({ ...base, shape: [100], data: Array.from({ length: 100 }, () => 1) } as never)).toBe(
      '100, ‖·‖ = 10',
    ));
});

import { describe, expect, it } from 'vitest';
import type { LessonCheck, Trace } from '../../api/types';
import first from '../../fixtures/matrix_product.json';
import { asksForEdit, isMet, readNumber, type Situation } from './check';

const trace = first as unknown as Trace;
const failed = { ...trace, passes: [], error: { code: 'nonscalar-backward' } } as unknown as Trace;

const NOTHING: LessonCheck = {
  error: null,
  value: null,
  gradient: null,
  passes: null,
  functions: null,
  tensor: null,
  events: null,
  prints: null,
  source: null,
  notes: null,
  chosen: null,
  view: null,
  playhead: null,
  answer: null,
};

const PAGE: Omit<Situation, 'trace'> = {
  chosen: [],
  view: 'graph',
  playhead: null,
  ended: false,
  answer: null,
};

function met(check: Partial<LessonCheck>, page: Partial<Situation> = {}): boolean {
  return isMet({ ...NOTHING, ...check }, { trace, ...PAGE, ...page });
}

describe('a check of a run', () => {
  it.each<[Partial<LessonCheck>]>([
    [
      {
        value: {
          a: [
            [1, 2],
            [3, 4],
          ],
          'a.grad': [
            [6, 15],
            [6, 15],
          ],
          'a.grad[0, 1]': 15,
          'c.grad': null,
        },
      },
    ],
    [{ value: { 'c[1,2]': 33.001 } }],
    [
      {
        gradient: {
          c: [
            [1, 1, 1],
            [1, 1, 1],
          ],
          'c[0, 2]': 1,
        },
      },
    ],
    [{ passes: 1 }],
    [{ functions: ['MmBackward0', 'mm'] }],
    [{ tensor: { a: facts({ is_leaf: true, grad_fn: 'none' }), c: facts({ shape: [2, 3], version: 0 }) } }],
    [{ events: { print: 2 } }],
    [{ prints: ['[ 6., 15.]'], source: ['c=a.mm( b )'] }],
    [{ error: 'none', notes: ['none'] }],
  ])('passes where it is all there: %j', (check) => expect(met(check)).toBe(true));

  it.each<[Partial<LessonCheck>]>([
    [{ value: { a: [1, 2, 3, 4] } }],
    [
      {
        value: {
          'a.grad': [
            [6, 15],
            [6, 16],
          ],
        },
      },
    ],
    [{ value: { 'a.grad': null } }],
    [{ value: { 'a[0]': 1 } }],
    [{ value: { 'a[2, 0]': 3 } }],
    [{ value: { d: 1 } }],
    [
      {
        value: {
          a: [
            [1, 2],
            [3, 'NaN'],
          ],
        },
      },
    ],
    [{ gradient: { c: 1 } }],
    [
      {
        gradient: {
          a: [
            [1, 1],
            [1, 1],
          ],
        },
      },
    ],
    [{ passes: 2 }],
    [{ functions: ['AddBackward0'] }],
    [{ tensor: { c: facts({ grad_fn: 'none' }) } }],
    [{ tensor: { d: facts({}) } }],
    [{ events: { zero: 1 } }],
    [{ prints: ['nothing'] }],
    [{ source: ['detach'] }],
    [{ error: 'no-grad-fn' }],
    [{ notes: ['first-nan'] }],
  ])('fails where something is missing: %j', (check) => expect(met(check)).toBe(false));

  it('is of a whole run, but where an error is what is asked for', () => {
    expect(met({ value: { 'a[0, 0]': 1 } }, { trace: failed })).toBe(false);
    expect(met({ error: 'nonscalar-backward' }, { trace: failed })).toBe(true);
    expect(met({ answer: [6] }, { trace: failed, answer: 6 })).toBe(true);
  });
});

describe('a check of the page', () => {
  it('takes what is chosen by any of its names', () => {
    expect(met({ chosen: ['mm', 'c'] }, { chosen: ['MmBackward0', 'mm'] })).toBe(true);
    expect(met({ chosen: ['c[0, 1]'] }, { chosen: ['c', 'c[0, 1]'] })).toBe(true);
    expect(met({ chosen: ['c'] }, { chosen: ['a'] })).toBe(false);
  });

  it('takes the view, and the playhead on a beat or at the end', () => {
    expect([met({ view: 'jacobian' }), met({ view: 'jacobian' }, { view: 'jacobian' })]).toEqual([
      false,
      true,
    ]);
    const add = { beat: 'add', of: 'a' } as const;
    expect(met({ playhead: add }, { playhead: { beat: 'add', of: ['b'] } })).toBe(false);
    expect(met({ playhead: add }, { playhead: { beat: 'add', of: ['a'] } })).toBe(true);
    expect(met({ playhead: { beat: 'add', of: null } }, { playhead: { beat: 'add', of: ['b'] } })).toBe(true);
    expect([
      met({ playhead: { beat: 'end', of: null } }),
      met({ playhead: { beat: 'end', of: null } }, { ended: true }),
    ]).toEqual([false, true]);
  });

  it('takes one of the right numbers', () => {
    expect(met({ answer: [15, 16] }, { answer: 16 })).toBe(true);
    expect(met({ answer: [15] }, { answer: 14.9 })).toBe(false);
    expect(met({ answer: [0] })).toBe(false);
  });

  it('asks for no edit', () => {
    expect(asksForEdit({ ...NOTHING, view: 'graph', answer: [1] })).toBe(false);
    expect(asksForEdit({ ...NOTHING, passes: 0 })).toBe(true);
  });
});

it.each([
  ['12', 12],
  [' -0.5 ', -0.5],
  ['−3', -3],
  ['1/4', 0.25],
  ['1,2', 1.2],
  ['1e-4', 1e-4],
  ['', null],
  ['six', null],
  ['1/0', null],
  ['1/', null],
])('reads the number %j', (text, number) => expect(readNumber(text)).toBe(number));

function facts(given: Partial<NonNullable<LessonCheck['tensor']>[string]>) {
  return { is_leaf: null, requires_grad: null, version: null, shape: null, grad_fn: null, ...given };
}

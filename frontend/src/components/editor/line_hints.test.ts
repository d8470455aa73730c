import { describe, expect, test } from 'vitest';
import type { Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import { en } from '../../i18n/en';
import { Sketch } from '../../test/sketch';
import { hintsFor, hintsOf } from './line_hints';

const trace = fixture as unknown as Trace;

describe('hints of a text that failed', () => {
  test('the text that ran has all of them', () => {
    expect(hintsFor(trace.source, trace, en)).toEqual(hintsOf(trace, en));
  });

  test('lines that were changed have none', () => {
    const [first] = hintsOf(trace, en);
    if (!first) throw new Error('the fixture has hints');
    const lines = trace.source.split('\n');
    lines[first.line - 1] = 'other = (';
    const left = hintsFor(lines.join('\n'), trace, en);
    expect(left).toEqual(hintsOf(trace, en).filter(({ line }) => line !== first.line));
  });
});

test('a line that makes several leaves counts them and their numbers', () => {
  const sketch = new Sketch();
  const span = { line: 2, column: 0, end_line: 2, end_column: 10 };
  for (const name of ['model.weight', 'model.bias']) sketch.leaf(name, [1000, 2]);
  const made = sketch.trace();
  const [hint] = hintsOf({ ...made, tensors: made.tensors.map((tensor) => ({ ...tensor, span })) }, en);
  expect(hint?.words).toBe('2 leaves, 4,000 numbers');
});

test('a line that runs several passes names the first and the last', () => {
  const sketch = new Sketch();
  const x = sketch.leaf('x');
  const y = sketch.apply('exp', [x], { name: 'y' });
  const span = { line: 5, column: 0, end_line: 5, end_column: 10 };
  for (let turn = 0; turn < 3; turn += 1) sketch.backward(y, { span });
  sketch.backward(y, { kind: 'grad', span: { ...span, line: 7 } });
  const words = new Map(hintsOf(sketch.trace(), en).map((hint) => [hint.line, hint.words]));
  expect([words.get(5), words.get(7)]).toEqual(['backward #1 … #3', 'autograd.grad #4']);
});

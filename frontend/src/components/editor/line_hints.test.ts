import { describe, expect, test } from 'vitest';
import type { Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import { en } from '../../i18n/en';
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

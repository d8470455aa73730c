import { describe, expect, it } from 'vitest';
import { partsOf, subscript, texNumber, type ArrayPart, type FormulaPart } from './formula';

const tex = (text: string): FormulaPart => ({ kind: 'tex', tex: text });
const array: ArrayPart = {
  kind: 'array',
  name: 'g',
  tex: '\\bar{c}',
  role: 'gradient',
  value: { shape: [], dtype: 'float32', data: [1], summary: null },
  transposed: false,
};

describe('formulas', () => {
  it('joins neighbouring LaTeX and keeps arrays apart', () => {
    expect(partsOf([array, tex('^{'), tex('2'), tex('}'), tex(' \\odot '), array])).toEqual([
      array,
      { kind: 'tex', tex: '{}^{2} \\odot' },
      array,
    ]);
  });

  it('draws brackets around arrays', () => {
    expect(partsOf([tex('\\left('), array, tex('\\right)')])).toEqual([
      { kind: 'tex', tex: '(' },
      array,
      { kind: 'tex', tex: ')' },
    ]);
  });

  it('gives up where LaTeX embraces an array', () => {
    expect(partsOf([tex('\\frac{'), array, tex('}{2}')])).toBeNull();
    expect(partsOf([])).toBeNull();
  });

  it('counts from 1 in mathematics', () => {
    expect(subscript([0, 1])).toBe('12');
    expect(subscript([9, 0])).toBe('10,1');
    expect(subscript([])).toBe('');
  });

  it('writes numbers as mathematics does', () => {
    expect(['-0.5', '1e-05', 'nan', '-inf'].map(texNumber)).toEqual([
      '-0.5',
      '1\\cdot 10^{-5}',
      '\\text{nan}',
      '\\text{-inf}',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { subscript, texNumber, type ArrayPart, type FormulaPart } from './formula';
import { lineOf, partsOf } from './line';

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

  it('keeps the constants of a power', () => {
    const power = [array, tex(' \\odot '), tex('2'), tex('\\,{'), array, tex('}^{'), tex('2'), tex('-1}')];
    const signs = [array, tex(' \\odot 2\\,'), array].map((part) => ({ ...part, tex: part.tex.trim() }));
    expect(lineOf(power)).toEqual({ parts: signs, isExact: true });
    const cube = lineOf([tex('{'), array, tex('}^{3-1}')]).parts;
    expect(cube).toEqual([array, tex('{}^{2}')]);
  });

  it('draws a power of e as a function', () => {
    const softmax = [array, tex('-e^{'), array, tex('} \\textstyle\\sum '), array];
    expect(partsOf(softmax)).toEqual([array, tex('-\\exp('), array, tex(') \\textstyle\\sum'), array]);
  });

  it('parts arrays with commas where the rule is no line', () => {
    const other = { ...array, name: 'x' };
    expect(lineOf([tex('\\frac{'), array, tex('}{2}'), other, array])).toEqual({
      parts: [array, tex(','), other],
      isExact: false,
    });
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

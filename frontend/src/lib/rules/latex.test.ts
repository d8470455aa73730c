import { expect, it } from 'vitest';
import type { TensorRecord } from '../../api/types';
import { Sketch } from '../../test/sketch';
import { barred, closed, symbolsOf } from './latex';

it.each([
  ['a', '\\bar{a}'],
  ["h''", "\\bar{h}''"],
  ['a^{(4)}', '\\bar{a}^{(4)}'],
  ['W_{\\text{in}}', '\\bar{W}_{\\text{in}}'],
  ["W_{\\text{in}}'", "\\bar{W}_{\\text{in}}'"],
  ['\\mathit{c\\_ij}', '\\overline{\\mathit{c\\_ij}}'],
  ["\\mathit{total}'", "\\overline{\\mathit{total}}'"],
])('bars the letter of %s alone', (symbol, expected) => {
  expect(barred(symbol)).toBe(expected);
});

it.each([
  ["h'", "h'"],
  ['\\mathit{c\\_ij}', '\\mathit{c\\_ij}'],
  ['W_{\\text{in}}', '{W_{\\text{in}}}'],
  ['a^{(4)}', '{a^{(4)}}'],
])('closes %s where a script cannot follow', (symbol, expected) => {
  expect(closed(symbol)).toBe(expected);
});

function lettered(...symbols: string[]): TensorRecord[] {
  const sketch = new Sketch();
  symbols.forEach(() => sketch.leaf('x'));
  return sketch.tensors.map((tensor, k) => ({ ...tensor, symbol: symbols[k]! }));
}

it('gives each tensor of a formula a symbol of its own', () => {
  const letters = lettered('h', 'W', 'h', "h'", 'h', 'h', 'a^{(4)}', 'a^{(4)}');
  const expected = ['h', 'W', "h'", "h''", "h'''", 'h^{(4)}', 'a^{(4)}', "{a^{(4)}}'"];
  expect([...symbolsOf(letters).values()]).toEqual(expected);
});

it('gives a tensor that stands in a formula twice one symbol', () => {
  const [x] = lettered('x');
  expect([...symbolsOf([x!, x!]).values()]).toEqual(['x']);
});

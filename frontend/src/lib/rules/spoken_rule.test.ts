import { expect, it } from 'vitest';
import type { Token } from '../../api/types';
import { numberSigns, plainTokens, uprightRule } from './spoken_rule';

const tex = (text: string): Token => ({ kind: 'tex', tex: text });
const operand = (name: string): Token => ({
  kind: 'operand',
  name,
  role: 'value',
  transposed: false,
  region: false,
});

it('takes the outer sign off the rule of a turned weight', () => {
  const inner = [operand('g'), tex('\\,'), operand('input')];
  const { tokens, expression } = uprightRule({
    tokens: [tex('\\left('), ...inner, tex('\\right)^{\\top}')],
    expression: ['mT', ['@', 'g', 'input']],
  });
  expect(tokens).toEqual(inner);
  expect(expression).toEqual(['@', 'g', 'input']);
});

it('turns any other rule as a whole', () => {
  const { tokens, expression } = uprightRule({ tokens: [operand('g')], expression: ['name', 'g'] });
  expect(tokens).toEqual([tex('\\left('), operand('g'), tex('\\right)^{\\top}')]);
  expect(expression).toEqual(['mT', ['name', 'g']]);
});

it('drops a factor that is one', () => {
  const given = [
    operand('g'),
    tex(' \\odot \\left(\\left('),
    operand('t'),
    tex('+1-'),
    operand('t'),
    tex('\\right) \\odot \\sigma\\left('),
    operand('h'),
  ];
  expect(plainTokens(given)).toEqual([
    operand('g'),
    tex(' \\odot \\left('),
    tex('\\sigma\\left('),
    operand('h'),
  ]);
});

it.each([
  [' \\oslash ', false, true, ' /\\, '],
  [' \\odot ', true, false, ' \\cdot '],
  [' \\odot \\left(', false, true, ' \\odot \\left('],
  [' \\oslash ', false, false, ' \\oslash '],
])('writes %s beside a number', (sign, before, after, expected) => {
  expect(numberSigns(sign, before, after)).toBe(expected);
});

import { expect, it } from 'vitest';
import { readAssignment, workOut, writeCode } from './assignment';

const WORDS: Record<string, string> = {
  '\\theta': 'w',
  g: 'w.grad',
  '\\gamma': '0.1',
  '\\beta_1': '0.9',
  '\\beta_2': '0.999',
  '\\epsilon': '1e-08',
  m: 'exp_avg',
  v: 'exp_avg_sq',
  b: 'buf',
  t: '3',
  '\\mu': '0.9',
};
const say = (name: string) => WORDS[name] ?? name;

it.each([
  ['\\theta \\leftarrow \\theta - \\gamma\\, g', 'w - 0.1 · w.grad'],
  ['b \\leftarrow \\mu\\, b + g', '0.9 · buf + w.grad'],
  ['m \\leftarrow \\beta_1 m + (1 - \\beta_1)\\, g', '0.9 · exp_avg + (1 - 0.9) · w.grad'],
  ['v \\leftarrow \\beta_2 v + (1 - \\beta_2)\\, g^2', '0.999 · exp_avg_sq + (1 - 0.999) · w.grad**2'],
  ['\\theta \\leftarrow \\theta - \\gamma\\, (g + \\mu\\, b)', 'w - 0.1 · (w.grad + 0.9 · buf)'],
  [
    '\\theta \\leftarrow \\theta - \\gamma\\, \\frac{m / (1 - \\beta_1^t)}{\\sqrt{v / (1 - \\beta_2^t)} + \\epsilon}',
    'w - 0.1 · (exp_avg / (1 - 0.9**3) / (sqrt(exp_avg_sq / (1 - 0.999**3)) + 1e-08))',
  ],
])('writes %s as code', (tex, code) => {
  expect(writeCode(readAssignment(tex)!.value, say)).toBe(code);
});

it('works a rule out', () => {
  const numbers: Record<string, number> = { '\\theta': 2, '\\gamma': 0.5, g: -1 };
  const { value } = readAssignment('\\theta \\leftarrow \\theta - \\gamma\\, g')!;
  expect(workOut(value, (name) => numbers[name] ?? NaN)).toBe(2.5);
  expect(writeCode(value, (name) => String(numbers[name]))).toBe('2 - 0.5 · (-1)');
});

it('leaves alone what it cannot read', () => {
  expect(readAssignment('\\eta \\leftarrow \\begin{cases} 1 & 2 \\end{cases}')).toBeNull();
});

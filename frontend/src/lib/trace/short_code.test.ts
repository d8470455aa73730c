import { expect, it } from 'vitest';
import { middleCut, shortCode, shortName } from './short_code';

it('keeps a short name whole', () => {
  expect(middleCut('AddmmBackward0')).toBe('AddmmBackward0');
});

it('takes the middle out of a long name', () => {
  const cut = middleCut('BinaryCrossEntropyWithLogitsBackward0');
  expect(cut).toBe('BinaryCrossEn…itsBackward0');
  expect(cut).toHaveLength(26);
});

it('drops the path of a long call first', () => {
  expect(shortCode('nn.functional.binary_cross_entropy_with_logits(\n  model(x),\n t)')).toBe(
    'binary_cross_entropy_with_logits( model(x), t)',
  );
});

it('never leaves a bracket alone', () => {
  const long = `torch.cat([${'value, '.repeat(20)}])`;
  expect(shortCode(long)).toMatch(/^cat\(\[value.*…\)$/);
});

it.each([
  ['loss', 'loss'],
  ['dist.log_prob(action)', 'dist.log_prob(…)'],
  ['torch.tensor([1., 0.])', 'torch.tensor(…)'],
  ['torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]', 'grad(…)[0]'],
  ['self.mlp(self.ln_2(x))', 'self.mlp(…)'],
  ['F.binary_cross_entropy_with_logits(out, target)', '…with_logits(…)'],
  ['outputs.hidden.mean().sqrt()', 'sqrt()'],
  ['x.view(2, 3).flatten(0)[1]', 'x.view(2, 3).fla…'],
  ['first_operand @ second_operand', 'first_operand @…'],
  ['sum(lp * r for lp, r in pairs) + rest', 'sum(lp * r for l…'],
])('shortens %s', (name, short) => {
  expect(shortName(name, 17)).toBe(short);
});

import { expect, it } from 'vitest';
import { opName, shortName } from './names';

it('calls overloads by the operation they belong to', () => {
  expect(['pow_scalar', 'mean_all', 'norm_two', 'index_put', 'mm'].map(opName)).toEqual([
    'pow',
    'mean',
    'norm',
    'index_put',
    'mm',
  ]);
});

it('calls kernels, forms and parts of an operation by its name in PyTorch', () => {
  expect(
    ['nll_loss_rows', 'gelu_exact', 'scatter_value_reduce', 'unsafe_view', 'var_mean', 'log_softmax'].map(
      opName,
    ),
  ).toEqual(['nll_loss', 'gelu', 'scatter', 'view', 'var_mean', 'log_softmax']);
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

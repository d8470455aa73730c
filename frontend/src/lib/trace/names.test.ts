import { expect, it } from 'vitest';
import { cutLoop } from '../../test/loops';
import { opName, passNumber } from './names';

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

it('counts the passes of the run, also those that were left out', () => {
  const trace = cutLoop(50, [0, 25, 49]);
  expect(trace.passes.map((_, k) => passNumber(trace, k))).toEqual([1, 26, 50]);
});

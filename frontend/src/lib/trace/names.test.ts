import { expect, it } from 'vitest';
import { opName } from './names';

it('calls overloads by the operation they belong to', () => {
  expect(['pow_scalar', 'mean_all', 'norm_two', 'index_put', 'mm'].map(opName)).toEqual([
    'pow',
    'mean',
    'norm',
    'index_put',
    'mm',
  ]);
});

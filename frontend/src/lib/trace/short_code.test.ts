import { expect, it } from 'vitest';
import { middleCut, shortCode } from './short_code';

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

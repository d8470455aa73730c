import { expect, it } from 'vitest';
import type { Card } from '../graph/types';
import { rowName } from './rows';

function onShelf(label: string): string {
  return rowName({ label, shelf: 'module:net#0' } as Card);
}

it.each([
  ['net.weight', 'weight'],
  ['net.0.weight', '0.weight'],
  ['net.experts.0.up.weight', '0…up.weight'],
  ['net.experts.12.down.weight', '12…down.weight'],
  ['net.flows.0.net.2.weight', '0…net.2.weight'],
  ['net.lstm.weight_ih_l0', '…weight_ih_l0'],
  ['net.lstm.bias_ih_l0', 'lstm.bias_ih_l0'],
  ['net.reader_of_words.gate.bias', 'reade…gate.bias'],
  ['net.layers.1.self_attn.in_proj_weight', '1…proj_weight'],
])('a parameter on the shelf of its module: %s is %s', (label, short) => {
  expect(onShelf(label)).toBe(short);
});

import { expect, it } from 'vitest';
import type { Card } from '../../graph/types';
import { rowName, rowNames } from './row_names';

function onShelf(label: string): string {
  return rowName({ label, shelf: 'module:net#0' } as Card, 15);
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

function together(...labels: string[]): string[] {
  const cards = labels.map((label, k) => ({ id: `t${k}`, label, shelf: 'module:vae#0' }) as Card);
  return [...rowNames(cards).values()];
}

it('names that stand together keep what tells them apart', () => {
  expect(together('vae.encoder.linear_mean.weight', 'vae.encoder.linear_logvar.weight')).toEqual([
    'enc…mean.weight',
    '…logvar.weight',
  ]);
  expect(together('vae.encoder.first.weight', 'vae.encoder.third.weight', 'vae.scale')).toEqual([
    '…first.weight',
    '…third.weight',
    'scale',
  ]);
});

it('names that no shortening tells apart are whole', () => {
  const long = ['vae.long_words_a_that_end_alike.weight', 'vae.long_words_b_that_end_alike.weight'];
  expect(together(...long)).toEqual(long.map((name) => name.slice(4)));
});

it('names that are not shortened to the same are as each is alone', () => {
  const labels = ['vae.encoder.first.weight', 'vae.encoder.first.bias'];
  expect(together(...labels)).toEqual(['encoder…weight', 'encoder…bias']);
  expect(together(labels[0]!)).toEqual(['encoder…weight']);
});

it('parameters of one model on the shelf of a function are without its name where one is cut', () => {
  const on = (shelf: string) => (label: string) => ({ id: label, label, shelf }) as Card;
  const labels = ['model.backbone.0.weight', 'model.projector.0.weight', 'model.bias'];
  expect([...rowNames(labels.map(on('call:forward#0'))).values()]).toEqual([
    'backbo…0.weight',
    'projec…0.weight',
    'bias',
  ]);
  expect([...rowNames(labels.slice(2).map(on('call:forward#0'))).values()]).toEqual(['model.bias']);
});

it('leaves that stand together have as many letters as there is room for, or none', () => {
  const leaf = (label: string) => ({ id: label, label, shelf: null, gathered: true, maker: null }) as Card;
  const names = (letters: number) => [
    ...rowNames(['net.conv1.weight', 'net.conv2.weight', 'net.fc.bias'].map(leaf), letters).values(),
  ];
  expect(names(17)).toEqual(['net.conv1.weight', 'net.conv2.weight', 'net.fc.bias']);
  expect(names(15)).toEqual(['conv1.weight', 'conv2.weight', 'fc.bias']);
  expect(names(12)).toEqual(['conv1.weight', 'conv2.weight', 'fc.bias']);
  expect(names(0)).toEqual(['', '', '']);
});

it('running statistics by themselves keep the end of their paths, and the part in which they differ', () => {
  const buffers = (...labels: string[]) =>
    [
      ...rowNames(labels.map((label, k) => ({ id: `t${k}`, label, shelf: null, gathered: false }) as Card)),
    ].map(([, name]) => name);
  expect(buffers('netG.main.1.running_mean', 'netG.main.1.running_var')).toEqual([
    'netG…running_mean',
    'netG…running_var',
  ]);
  expect(buffers('netG.main.1.running_mean', 'netG.main.4.running_mean', 'netG.main.1.running_mean')).toEqual(
    ['…1.running_mean', '…4.running_mean', '…1.running_mean'],
  );
});

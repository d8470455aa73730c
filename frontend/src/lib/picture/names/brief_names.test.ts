import { expect, it } from 'vitest';
import { briefNames } from './brief_names';

/** A vision transformer, a language model and an LSTM, as far as their parameters' names go. */
const BLOCK = ['norm1', 'attn.qkv', 'attn.proj', 'norm2', 'mlp.0', 'mlp.2'];
const both = (path: string) => [`${path}.weight`, `${path}.bias`];
const VISION = [
  'token',
  ...both('patches'),
  ...[0, 1, 2, 3].flatMap((k) => BLOCK.flatMap((each) => both(`encoder.${k}.${each}`))),
  ...both('head'),
];
const GATES = ['weight_ih', 'weight_hh', 'bias_ih', 'bias_hh'];
const LSTM = ['encoder', 'decoder'].flatMap((each) =>
  [0, 1, 2].flatMap((k) =>
    GATES.flatMap((gate) => [`${each}.${gate}_l${k}`, `${each}.${gate}_l${k}_reverse`]),
  ),
);

it.each([
  [VISION, 14],
  [VISION, 10],
  [LSTM, 14],
  [LSTM, 12],
])('no two are alike, and all are short', (names, letters) => {
  const brief = briefNames(names, letters);
  expect(new Set(brief).size).toBe(names.length);
  expect(brief.filter((name) => name.length > letters)).toEqual([]);
});

it.each([
  ['token', 'token'],
  ['patches.weight', 'patches.w'],
  ['encoder.2.norm1.bias', '2.norm1.b'],
  ['encoder.0.attn.qkv.weight', '0…qkv.w'],
  ['encoder.3.mlp.2.weight', '3…2.weight'],
])('the words stay in which one differs: %s is %s', (name, brief) => {
  expect(briefNames(VISION, 10)[VISION.indexOf(name)]).toBe(brief);
});

it('is whole where it fits, or where nothing shorter tells it apart', () => {
  expect(briefNames(['a.weight', 'b.weight'], 10)).toEqual(['a.weight', 'b.weight']);
  expect(briefNames(['same', 'same'], 2)).toEqual(['same', 'same']);
});

it('tells two recurrent layers at different depths apart', () => {
  const parts = ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0'];
  const paths = ['net.char_lstm.lstm', 'net.word_lstm'].flatMap((path) =>
    parts.map((part) => `${path}.${part}`),
  );
  const names = briefNames([...paths, 'net.classify.weight', 'net.classify.bias'], 13);
  expect(new Set(names).size).toBe(names.length);
  expect(names.every((name) => name.length <= 13)).toBe(true);
});

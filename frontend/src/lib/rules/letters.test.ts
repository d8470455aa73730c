import { expect, test } from 'vitest';
import { lastName } from './letters';

test.each([
  ['model.0.weight', 'weight'],
  ['maml.net.vars.0', 'vars[0]'],
  ['taps.2.1', 'taps[2][1]'],
  ['w', 'w'],
  ['a[i, j]', 'a[i, j]'],
  ['0', '0'],
])('the last part of %s is %s', (name, short) => expect(lastName(name)).toBe(short));

import { expect, it } from 'vitest';
import { cutLoop } from '../../test/loops';
import { passNumber } from './pass_number';

it('counts the passes of the run, also those that were left out', () => {
  const trace = cutLoop(50, [0, 25, 49]);
  expect(trace.passes.map((_, k) => passNumber(trace, k))).toEqual([1, 26, 50]);
});

// @vitest-environment node
import { describe, expect, it } from 'vitest';
import trace from '../../fixtures/first_example.json';
import { pack, unpack } from './packed';

describe('what is packed', () => {
  it('is the same when it is unpacked', async () => {
    const content = {
      trace,
      floats: [0.1, 1e-300, 2, 3, 4],
      short: [Math.fround(0.1), -0.5],
      texts: ['nan', 1, 2, 3, '张量'],
      none: null,
      empty: [],
    };
    expect(await unpack(await pack(content))).toEqual(content);
  });

  it('keeps the sign of zero, and numbers of 32 bits to the last bit', async () => {
    const numbers = [0, -0, Math.fround(0.1), Math.fround(-1e-42), Math.fround(3.4e38)];
    const unpacked = await unpack<number[][]>(await pack([numbers, numbers.map((each) => -each)]));
    for (const [k, each] of numbers.entries()) {
      expect(Object.is(unpacked[0]?.[k], each)).toBe(true);
      expect(Object.is(unpacked[1]?.[k], -each)).toBe(true);
    }
  });

  it('writes a list that comes again once', async () => {
    const list = Array.from({ length: 4000 }, (_, k) => Math.fround(Math.sin(k * k)));
    const [once, often] = await Promise.all([pack([list]), pack(Array.from({ length: 50 }, () => list))]);
    expect(often.length).toBeLessThan(once.length * 1.05);
  });
});

import { describe, expect, it } from 'vitest';
import { LETTERS, decode85, encode85 } from './base85';

describe('base85', () => {
  it('gives back bytes of any number, with letters that HTML does not read', () => {
    for (let count = 0; count < 40; count += 1) {
      const bytes = Uint8Array.from({ length: count }, (_, k) => (k * k * 37 + 255 * count) % 256);
      const text = encode85(bytes);
      expect(decode85(text, LETTERS)).toEqual(bytes);
      expect(text).not.toMatch(/[&<>"'\\]/);
    }
    for (const byte of [0, 255])
      for (const count of [1, 2, 3, 4, 5])
        expect(decode85(encode85(new Uint8Array(count).fill(byte)), LETTERS)).toEqual(
          new Uint8Array(count).fill(byte),
        );
  });

  it('is that of Python but for three letters', () => {
    // base64.b85encode(bytes(range(250, 256)) + b'Gradflow')
    const bytes = Uint8Array.of(250, 251, 252, 253, 254, 255, ...new TextEncoder().encode('Gradflow'));
    expect(encode85(bytes)).toBe('`uqI-{{KgEVPs}(Z+8');
  });
});

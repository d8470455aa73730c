import { describe, expect, it } from 'vitest';
import type { TensorRecord } from '../../api/types';
import { elementTex, letterTex } from './jacobian_names';

function tensor(name: string, shape: number[], symbol = 'w'): TensorRecord {
  return { names: name ? [name] : [], shape, symbol } as unknown as TensorRecord;
}

describe('the name of a tensor in a Jacobian', () => {
  it('is its letter, a short word, or the symbol of what has a long name', () => {
    expect(letterTex(tensor('x', [2]))).toBe('x');
    expect(letterTex(tensor('w_in', [2]))).toBe('\\mathit{w\\_in}');
    expect(letterTex(tensor('model.0.weight', [2], 'W'))).toBe('W');
    expect(letterTex(tensor('', [2], 'h_{1}'))).toBe('h_{1}');
  });

  it('counts elements from 1', () => {
    expect(elementTex(tensor('x', [2, 3]), 5)).toBe('x_{23}');
    expect(elementTex(tensor('', [2], 'h_{1}'), 1)).toBe('(h_{1})_{2}');
    expect(elementTex(tensor('x', []), 0)).toBe('x');
    expect(elementTex(tensor('x', [4]), null)).toBe('x');
  });
});

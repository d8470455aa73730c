import { expect, it } from 'vitest';
import { SourceOutline } from './source_outline';

const source = `import torch
def f(x,
      y):
    for k in range(2):
        x = x * y  # for z in x:
        while True: x = x + 1
    return x

for i in range(3):
    a = f(f(1, 2),
2)

    text = """
for j in y:
"""
b = 1
`;
const outline = new SourceOutline(source);

it('finds the loops around a line, outermost first', () => {
  expect(outline.loopsAt(5).map(({ line }) => line)).toEqual([4]);
  expect(outline.loopsAt(6).map(({ line }) => line)).toEqual([4, 6]);
  expect(outline.loopsAt(11).map(({ line }) => line)).toEqual([9]);
  expect(outline.loopsAt(7)).toEqual([]);
  expect(outline.loopsAt(16)).toEqual([]);
});

it('knows where statements begin, and is not misled by strings', () => {
  expect([11, 14, 16].map((line) => outline.statement(line))).toEqual([10, 13, 16]);
});

it('finds functions and where they are called', () => {
  expect(outline.defAt(5)?.name).toBe('f');
  expect(outline.defAt(9)).toBeNull();
  expect(outline.callsOf('f')).toEqual([10]);
  expect(outline.timesCalled(10, 'f')).toBe(2);
  expect(outline.callsOf('range')).toEqual([4, 9]);
});

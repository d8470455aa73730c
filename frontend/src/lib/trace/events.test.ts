import { expect, it } from 'vitest';
import type { TensorRecord, Value } from '../../api/types';
import { Sketch } from '../../test/sketch';
import { changeDuring, valueAt } from './events';

function scalar(number: number): Value {
  return { shape: [], dtype: 'float32', data: [number], summary: null };
}

/** A leaf with these versions, each written by the event ten times its number. */
function written(...versions: number[]): TensorRecord {
  const sketch = new Sketch();
  sketch.leaf('w', []);
  const own = versions.map((version) => ({
    version,
    value: scalar(version),
    event: version > 0 ? 10 * version : null,
  }));
  return { ...sketch.tensors[0]!, value: scalar(versions.at(-1) ?? 0), versions: own };
}

it('finds a version by its number', () => {
  const tensor = written(0, 7, 8);
  expect([0, 7, 8].map((version) => valueAt(tensor, version)?.data)).toEqual([[0], [7], [8]]);
});

it('has no value for a version that was left out', () => {
  expect(valueAt(written(0, 7, 8), 1)).toBeNull();
});

it('has the one value of a tensor that was never written', () => {
  expect(valueAt(written(), 0)?.data).toEqual([0]);
});

it('tells what events change, from before the first to after the last', () => {
  const change = changeDuring(written(0, 1, 2, 3), 10, 30);
  expect(change?.map(({ data }) => data)).toEqual([[0], [2]]);
});

it('tells no change from a version that was left out', () => {
  expect(changeDuring(written(0, 7, 8), 70, 71)).toBeNull();
  expect(changeDuring(written(0, 7, 8), 80, 81)?.map(({ data }) => data)).toEqual([[7], [8]]);
});

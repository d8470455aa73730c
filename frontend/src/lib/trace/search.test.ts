import { describe, expect, it } from 'vitest';
import { trainingLoop } from '../../test/loops';
import { Sketch } from '../../test/sketch';
import { search } from './search';

function titles(query: string): string[] {
  const sketch = new Sketch();
  const weight = sketch.leaf('model.0.weight', [2, 2]);
  const bias = sketch.leaf('model.0.bias', [2]);
  const h = sketch.apply('mm', [weight, weight], { name: 'h', line: 7 });
  sketch.apply('add', [h, bias], { expression: 'h + model.bias', line: 8 });
  return search(sketch.trace(), query).map(({ kind, title }) => `${kind} ${title}`);
}

describe('search', () => {
  it('finds tensors by parts of their names, best first', () => {
    expect(titles('weight')).toEqual(['tensor model.0.weight']);
    expect(titles('h')[0]).toBe('tensor h');
    expect(titles('MODEL.0')).toEqual(['tensor model.0.weight', 'tensor model.0.bias']);
  });

  it('finds functions by operation and grad_fn', () => {
    expect(titles('mm')).toEqual(['node mm']);
    expect(titles('addback')).toEqual(['node add']);
  });

  it('finds what stands on a line', () => {
    expect(titles('7')).toEqual(['tensor h', 'node mm']);
    expect(titles('line 8')).toEqual(['tensor h + model.bias', 'node add']);
    expect(titles('第 8 行')).toEqual(titles('8'));
  });

  it('finds nothing for nothing', () => {
    expect(titles('  ')).toEqual([]);
    expect(titles('zebra')).toEqual([]);
  });

  it('finds what a layer makes, not the weight that it turned round', () => {
    const sketch = new Sketch();
    const [x, weight] = [sketch.leaf('x', [3, 2]), sketch.leaf('encoder.weight', [4, 2])];
    const made = { expression: 'encoder(x)', line: 9 };
    const turned = sketch.apply('t', [weight], { ...made, shape: [2, 4] });
    sketch.apply('mm', [x, turned], { ...made, shape: [3, 4] });
    const found = search(sketch.trace(), 'encoder(').map(({ kind, about }) => [kind, about]);
    expect(found).toEqual([['tensor', '3×4']]);
  });

  it('finds at most eight', () => {
    expect(search(trainingLoop(30), 'l').length).toBeLessThanOrEqual(8);
  });
});

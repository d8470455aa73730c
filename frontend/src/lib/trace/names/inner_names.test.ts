import { describe, expect, it } from 'vitest';
import { Sketch } from '../../../test/sketch';
import { Lookup } from '../lookup';
import { codeName } from '../short_code';

function namesOf(build: (sketch: Sketch) => { id: string }[]): string[] {
  const sketch = new Sketch();
  const made = build(sketch);
  const lookup = new Lookup(sketch.trace());
  return made.map(({ id }) => lookup.name(id));
}

describe('the names within an expression', () => {
  it('are those of functions, and the expression is what the last one makes', () => {
    const names = namesOf((sketch) => {
      const at = { expression: 'cross_entropy(z, y)', line: 5 };
      const z = sketch.leaf('z');
      const inner = sketch.apply('log_softmax_dim', [z], at);
      return [inner, sketch.apply('nll_loss_rows', [inner], at)];
    });
    expect(names).toEqual(['log_softmax(…)', 'cross_entropy(…)']);
  });

  it('are different ones for each tensor', () => {
    const names = namesOf((sketch) => {
      const at = { expression: 'x @ W', line: 5 };
      const first = sketch.apply('view', [sketch.leaf('x')], at);
      const second = sketch.apply('view', [first], at);
      return [first, second, sketch.apply('mm', [second, sketch.leaf('W')], at)];
    });
    expect(names).toEqual(['view(…)', 'view(…)·2', 'x @ W']);
  });

  it('are those of the modules that the call goes through', () => {
    const names = namesOf((sketch) => {
      const at = { expression: 'D(real)', line: 5 };
      const outer = sketch.place('module', 'D · Sequential');
      const [first, second] = ['0 · Linear', '1 · Sigmoid'].map((title) =>
        sketch.place('module', title, outer),
      );
      const span = { line: 5, column: 0, end_line: 5, end_column: 10 };
      for (const place of sketch.places) place.span = span;
      const real = sketch.leaf('real');
      sketch.here = first!;
      const weight = sketch.apply('t', [sketch.leaf('D.0.weight')], at);
      const h = sketch.apply('affine', [real, weight], at);
      sketch.here = second!;
      return [h, sketch.apply('sigmoid', [h], at)];
    });
    expect(names).toEqual(['D[0](…)', 'D(real)']);
  });

  it('are never a whole statement', () => {
    expect(codeName('for xb, yb in loader:\n        pred = net(xb)')).toBe('for xb, yb in loader');
    expect(codeName('format(x)')).toBe('format(x)');
  });
});

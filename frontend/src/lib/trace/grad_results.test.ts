import { expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { Sketch } from '../../test/sketch';
import { gradResultNames, splitAtCommas } from './grad_results';

/** `y = x * w`, differentiated by the given statement, which stands alone in the program. */
function asked(statement: string): Trace {
  const sketch = new Sketch();
  const x = sketch.leaf('x');
  const w = sketch.leaf('w');
  const y = sketch.apply('mul', [x, w], { name: 'y' });
  const column = statement.indexOf('torch.autograd.grad');
  const end_column = statement.search(/\)(?=\[0\]|$)/) + 1;
  sketch.backward(y, { kind: 'grad', span: { line: 1, column, end_line: 1, end_column } });
  return sketch.trace({ source: statement });
}

function named(statement: string): Record<string, string | null> {
  const trace = asked(statement);
  return Object.fromEntries(gradResultNames(trace, trace.passes[0]!));
}

it('splits at commas outside of brackets', () => {
  expect(splitAtCommas('y, (x, w), f([1, 2])')).toEqual(['y', '(x, w)', 'f([1, 2])']);
});

it.each([
  ['dx, dw = torch.autograd.grad(y, (x, w), g)', { t0: 'dx', t1: 'dw' }],
  ['dx, = torch.autograd.grad(y, x, torch.ones(2))', { t0: 'dx' }],
  ['dx = torch.autograd.grad(y, x, g)[0]', { t0: 'dx' }],
  ['grads = torch.autograd.grad(y, [w, x], g)', { t1: 'grads[0]', t0: 'grads[1]' }],
  ['(a, b) = torch.autograd.grad(outputs=y, inputs=(x, w))', { t0: 'a', t1: 'b' }],
  ['torch.autograd.grad(y, (x, w))', { t0: null, t1: null }],
  ['n = torch.autograd.grad(y, x, g)[0].norm()', { t0: null }],
])('%s', (statement, names) => {
  expect(named(statement)).toEqual(names);
});

it('is nothing where gradients are added into .grad', () => {
  const trace = asked('y.backward(g)');
  expect(gradResultNames(trace, { ...trace.passes[0]!, kind: 'backward' }).size).toBe(0);
});

import type { Trace } from '../api/types';
import { Sketch, spanOf } from './sketch';

/** `c = a.mm(b)` and a backward pass. */
export function product(): Trace {
  const sketch = new Sketch();
  const a = sketch.leaf('a', [2, 2]);
  const b = sketch.leaf('b', [2, 3]);
  const c = sketch.apply('mm', [a, b], { name: 'c', shape: [2, 3] });
  sketch.backward(c);
  return sketch.trace();
}

/** A leaf used three times, an intermediate used twice, and two passes with and without zeroing between. */
export function shared(zeroed = false): Trace {
  const sketch = new Sketch();
  const x = sketch.leaf('x', [3]);
  const u = sketch.apply('mul', [x, x], { name: 'u' });
  const v = sketch.apply('exp', [u]);
  const y = sketch.apply('add', [u, v], { name: 'y' });
  const z = sketch.apply('mul', [y, x], { name: 'z' });
  sketch.backward(z);
  if (zeroed) sketch.zeroGrad();
  sketch.backward(z);
  return sketch.trace();
}

/** Two outputs written into a constant, as in the coupled example: eight and nine functions on a line. */
export function coupled(): Trace {
  const sketch = new Sketch();
  const x = sketch.leaf('x', [3]);
  let y = sketch.constant({ name: 'y', shape: [2], line: 5, expression: 'torch.zeros(2)' });
  for (const line of [6, 7]) {
    const part = (k: number) => sketch.apply('select', [x], { shape: [], line, expression: `x[${k}]` });
    const powers = sketch.apply('pow', [part(0)], { shape: [], line, expression: 'x[0]**2' });
    const second = sketch.apply('mul', [part(1)], { shape: [], line, expression: '2*x[1]' });
    const sum = sketch.apply('add', [powers, second], { shape: [], line, expression: 'x[0]**2 + 2*x[1]' });
    const third = sketch.apply('mul', [part(2)], { shape: [], line, expression: '4*x[2]' });
    const all = sketch.apply('add', [sum, third], {
      shape: [],
      line,
      expression: 'x[0]**2 + 2*x[1] + 4*x[2]',
    });
    const region = { shape: [2], elements: [line - 6] };
    y = sketch.apply(
      'copy_slices',
      [y, all],
      { name: 'y', line },
      { kind: 'copy_slices', grad_fn: 'CopySlices', region },
    );
  }
  sketch.backward(y);
  const lines = ['', '', '', '', '', 'y[0] = x[0]**2 + 2*x[1] + 4*x[2]', 'y[1] = 2*x[0] + 3*x[1]**2'];
  return sketch.trace({ source: lines.join('\n') });
}

/** A long chain of functions, two on a line, of which the last is named. */
export function chain(lines: number): Trace {
  const sketch = new Sketch();
  const w = sketch.leaf('w', [2, 2]);
  let h = sketch.leaf('h0', [2, 2]);
  for (let k = 1; k <= lines; k += 1) {
    const inner = sketch.apply('mm', [h, w], { line: k + 2, expression: 'h @ w' });
    h = sketch.apply('exp', [inner], { name: `h${k}`, line: k + 2 });
  }
  sketch.backward(h);
  return sketch.trace();
}

/** Turns of zeroing, forward, backward, step and print, as a training loop runs them. */
export function training(turns = 3): Trace {
  const sketch = new Sketch({ told: true });
  const x = sketch.constant({ name: 'x', shape: [2] });
  const w = sketch.leaf('w', [2]);
  const b = sketch.leaf('b', [2]);
  for (let turn = 0; turn < turns; turn += 1) {
    sketch.zeroGrad();
    const product = sketch.apply('mul', [x, w]);
    const loss = sketch.apply('add', [product, b], { name: 'loss' });
    sketch.backward(loss);
    sketch.step();
    sketch.print(`${turn}\n`);
  }
  return sketch.trace();
}

/** `backward()` of a matrix without a gradient. */
export function ungiven(): Trace {
  const sketch = new Sketch();
  const a = sketch.leaf('a', [2, 2]);
  const c = sketch.apply('exp', [a], { name: 'c' });
  const text = { en: '', zh: '' };
  return sketch.trace({
    error: {
      type: 'RuntimeError',
      message: 'grad can be implicitly created only for scalar outputs',
      code: 'nonscalar-backward',
      span: spanOf(3),
      explanation: text,
      fix: null,
      cause: null,
      choices: [],
      tensor: c.id,
      frames: [],
    },
  });
}

import { expect, it } from 'vitest';
import type { ErrorRecord, Pass, Trace } from '../../api/types';
import { isExpression, withArgument, withMissingArgument, withReplaced } from './argument_edit';

/** A trace of which only the text and the calls of backward matter; `|` marks a call and `~` its argument. */
function traced(marked: string, dtype = 'float32'): Trace {
  const passes: Pass[] = [];
  const source = marked.replaceAll(/[|~]/g, '');
  const lines = marked.split('\n');
  lines.forEach((line, k) => {
    const plain = line.replaceAll('~', '').split('|');
    if (plain.length !== 3) return;
    const from = plain[0]!.length;
    const to = from + plain[1]!.length;
    const argument = line.replaceAll('|', '').split('~');
    const start = argument[0]!.length;
    passes.push({
      kind: 'backward',
      span: { line: k + 1, column: from, end_line: k + 1, end_column: to },
      gradient_span:
        argument.length === 3
          ? { line: k + 1, column: start, end_line: k + 1, end_column: start + argument[1]!.length }
          : null,
      roots: [{}],
      gradient: { shape: [2], dtype },
    } as unknown as Pass);
  });
  return { source, passes } as unknown as Trace;
}

const edit = { shape: [2], data: [1, 0.5] };

it.each([
  ['import torch\n|y.backward(~v~)|', 'import torch\ny.backward(torch.tensor([1., 0.5]))'],
  ['import torch\n|y.backward()|', 'import torch\ny.backward(torch.tensor([1., 0.5]))'],
  ['import torch as t\n|y.backward( )|', 'import torch as t\ny.backward(t.tensor([1., 0.5]) )'],
  [
    'import torch\n|f(")").backward(retain_graph=True)|  # twice',
    'import torch\nf(")").backward(torch.tensor([1., 0.5]), retain_graph=True)  # twice',
  ],
  [
    'import torch\n|y.backward(gradient=~torch.ones(2)~)|',
    'import torch\ny.backward(gradient=torch.tensor([1., 0.5]))',
  ],
  ['|y.backward(~v~)|', 'y.backward(torch.tensor([1., 0.5]))'],
  [
    'import torch\n|torch.autograd.backward(y, ~v~)|',
    'import torch\ntorch.autograd.backward(y, torch.tensor([1., 0.5]))',
  ],
  [
    'import torch\n|torch.autograd.backward(y)|',
    'import torch\ntorch.autograd.backward(y, grad_tensors=torch.tensor([1., 0.5]))',
  ],
  [
    'import torch\n|torch.autograd.grad(y, [x], grad_outputs=[~w * 2~])|',
    'import torch\ntorch.autograd.grad(y, [x], grad_outputs=[torch.tensor([1., 0.5])])',
  ],
  ['import torch\n|f("\\")(").backward(~v~)|', 'import torch\nf("\\")(").backward(torch.tensor([1., 0.5]))'],
])('writes the argument of %j', (marked, expected) => {
  expect(withArgument(traced(marked), 0, edit)).toBe(expected);
});

it('keeps the dtype and the shape, and spells what is no number', () => {
  const doubled = traced('import torch\n|y.backward(~v~)|', 'float64');
  expect(withArgument(doubled, 0, { shape: [2, 1], data: [NaN, -Infinity] })).toBe(
    'import torch\ny.backward(torch.tensor([[float("nan")], [-float("inf")]], dtype=torch.float64))',
  );
  expect(withArgument(doubled, 0, { shape: [], data: [-2e-7] })).toBe(
    'import torch\ny.backward(torch.tensor(-2e-7, dtype=torch.float64))',
  );
});

it('writes the shortest text that float32 reads as the same number', () => {
  const plain = traced('import torch\n|y.backward(~v~)|');
  const given = { shape: [4], data: [Math.fround(2.4), 2.4, Math.fround(1e-7), 1e300] };
  expect(withArgument(plain, 0, given)).toBe(
    'import torch\ny.backward(torch.tensor([2.4, 2.4, 1e-7, 1e+300]))',
  );
});

it('leaves alone what the text cannot say', () => {
  const twice = traced('import torch\n|y.backward(~v~)|');
  twice.passes.push({ ...twice.passes[0]! });
  expect(withArgument(twice, 0, edit)).toBeNull();
  const batched = '|torch.autograd.grad(y, x, ~eye~, is_grads_batched=True)|';
  expect(withArgument(traced(`import torch\n${batched}`), 0, edit)).toBeNull();
  expect(withArgument(traced('import torch\n|y.backward(*given)|'), 0, edit)).toBeNull();
  expect(withArgument(traced('from torch import ones\n|y.backward(~v~)|'), 0, edit)).toBeNull();
  expect(withArgument(traced('import torch\n|y.backward(~v~)|', 'complex64'), 0, edit)).toBeNull();
});

it('writes the argument that was missing', () => {
  const source = 'import torch\ny = x * 2\ny.backward()';
  const span = { line: 3, column: 0, end_line: 3, end_column: 12 };
  const error = { code: 'nonscalar-backward', span } as ErrorRecord;
  expect(withMissingArgument(source, error, edit, 'float32')).toBe(
    'import torch\ny = x * 2\ny.backward(torch.tensor([1., 0.5]))',
  );
  expect(withMissingArgument(source, { ...error, code: 'backward-twice' }, edit, 'float32')).toBeNull();
});

it.each([
  ['y.backward(torch.ones(3))', 'y.backward(torch.tensor([1., 0.5]))'],
  [
    'y.backward(retain_graph=True, gradient=f(1, 2))',
    'y.backward(retain_graph=True, gradient=torch.tensor([1., 0.5]))',
  ],
  ['torch.autograd.backward(y, v)', 'torch.autograd.backward(y, torch.tensor([1., 0.5]))'],
  ['torch.autograd.grad(y, x, (v))', 'torch.autograd.grad(y, x, torch.tensor([1., 0.5]))'],
  ['torch.autograd.grad(y, x)', 'torch.autograd.grad(y, x, grad_outputs=torch.tensor([1., 0.5]))'],
  ['torch.autograd.grad([y, z], x, [v, v])', null],
  ['y.backward(*v)', null],
])('puts weights that fit in the place of those of %j', (call, expected) => {
  const span = { line: 2, column: 0, end_line: 2, end_column: call.length };
  const error = { code: 'gradient-shape', span } as ErrorRecord;
  const found = withMissingArgument(`import torch\n${call}`, error, edit, 'float32');
  expect(found).toBe(expected && `import torch\n${expected}`);
});

it('knows a module by the name it was imported as', () => {
  const head = 'import torch, torch.autograd as ag\n';
  const span = { line: 2, column: 0, end_line: 2, end_column: 14 };
  const error = { code: 'nonscalar-backward', span } as ErrorRecord;
  expect(withMissingArgument(`${head}ag.backward(y)`, error, edit, 'float32')).toBe(
    `${head}ag.backward(y, grad_tensors=torch.tensor([1., 0.5]))`,
  );
});

it.each([
  ['torch.ones_like(c)', true],
  ['w * 2', true],
  ['权重', true],
  ['torch.tensor([1., -2e-3, float("inf")], dtype=torch.float64)', false],
  ['None', false],
  ['', false],
])('%j is an expression of other things: %j', (text, expected) => {
  expect(isExpression('import torch', text)).toBe(expected);
});

it('remembers the first expression that was replaced', () => {
  const expression = traced('import torch\n|y.backward(~w * 2~)|');
  const numbers = traced('import torch\n|y.backward(~torch.tensor([1.])~)|');
  const first = withReplaced({}, expression, 0);
  expect(first).toEqual({ 0: 'w * 2' });
  expect(withReplaced(first, numbers, 0)).toEqual({ 0: 'w * 2' });
  expect(withReplaced({}, numbers, 0)).toEqual({});
});

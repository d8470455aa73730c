import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, it, vi } from 'vitest';
import type { Operation } from '../../api/types';
import { source } from './completion';

const operations = ['max', 'maximum', 'relu', 'requires_grad_', 'retain_grad', 'abs'].map((name) => ({
  functions: [`torch.${name}`, `torch.Tensor.${name}`],
  signature: `${name}()`,
  doc: '',
  grad_fn: null,
}));

vi.mock('../../api/client', () => ({
  operations: () => Promise.resolve(operations as unknown as Operation[]),
}));

async function offered(text: string, explicit = false): Promise<string[] | undefined> {
  const context = new CompletionContext(EditorState.create({ doc: text }), text.length, explicit);
  return (await source(context))?.options.map(({ label }) => label);
}

it.each([
  ['torch.m', ['max', 'maximum']],
  ['y = x.re', ['relu', 'requires_grad_', 'retain_grad']],
  ['y = (x * 2).maxi', ['maximum']],
  ['y = x2.ab', ['abs']],
])('%s goes on by names that begin so', async (text, names) => {
  expect(await offered(text)).toEqual(names);
});

it.each(['n[0] = 7.', 'x = 1.', 'g = x.grad', 'f = torch.max', 'x'])(
  'where a line can end nothing is offered, so that Enter ends it: %s',
  async (text) => {
    expect(await offered(text)).toBeUndefined();
  },
);

it('a whole name has its continuations on asking', async () => {
  expect(await offered('f = torch.max', true)).toEqual(['max', 'maximum']);
});

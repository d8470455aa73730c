import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import { laterLoss, rewriteAsScalar, sameNumbers, tensorsWithGrad } from './scalar_rewrite';

const trace = fixture as unknown as Trace;
const pass = trace.passes[0]!;

/** The same run with one call as its source; `argument` is where the gradient stands in it. */
function calling(call: string, argument: number) {
  const line = { line: 1, end_line: 1 };
  const span = { ...line, column: 0, end_column: call.length };
  const gradient_span = { ...line, column: argument, end_column: argument + 1 };
  return { trace: { ...trace, source: call }, pass: { ...pass, span, gradient_span } };
}

describe('the same gradients from a scalar', () => {
  it('weighs the output and adds it up', () => {
    const { before, after, source } = rewriteAsScalar(trace, pass, undefined)!;
    expect(before).toBe('c.backward(torch.ones_like(c))');
    expect(after).toBe('(c * torch.ones_like(c)).sum().backward()');
    expect(source).toContain(`c = a.mm(b)\n${after}\nprint`);
  });

  it('takes the gradient that the reader gave', () => {
    const edit = { shape: [2, 3], data: [1, 0, 0, 0, 0, -2] };
    expect(rewriteAsScalar(trace, pass, edit)!.after).toBe(
      '(c * torch.tensor([[1,0,0],[0,0,-2]])).sum().backward()',
    );
  });

  it('keeps the other arguments', () => {
    const { trace, pass } = calling('f(x).backward(gradient=g, retain_graph=True)', 23);
    expect(rewriteAsScalar(trace, pass, undefined)!.after).toBe(
      '(f(x) * g).sum().backward(retain_graph=True)',
    );
  });

  it('detaches a gradient that requires grad itself', () => {
    const { trace, pass } = calling('c.backward(a)', 11);
    const roots = [{ ...pass.roots[0]!, argument: 't0' }];
    expect(rewriteAsScalar(trace, { ...pass, roots }, undefined)!.after).toBe(
      '(c * a.detach()).sum().backward()',
    );
  });

  it('leaves other calls alone', () => {
    const call = calling('torch.autograd.grad(c, a, g)', 26);
    expect(rewriteAsScalar(call.trace, call.pass, undefined)).toBeNull();
    expect(rewriteAsScalar(trace, { ...pass, span: null }, undefined)).toBeNull();
  });

  it('compares what the two programs end with', () => {
    expect([...tensorsWithGrad(trace).keys()]).toEqual(['a', 'b']);
    const [a, b] = [...tensorsWithGrad(trace).values()].map(({ grad }) => grad);
    expect([sameNumbers(a!, a!), sameNumbers(a!, b!), sameNumbers(a!, null)]).toEqual([true, false, false]);
  });
});

describe('a later loss', () => {
  it('takes the place of the gradient that was given', () => {
    const { loss, source } = laterLoss(trace, pass)!;
    expect(loss).toBe('loss = (c ** 2).sum() / 2');
    expect(source).toContain('c = a.mm(b)\nloss = (c ** 2).sum() / 2\nloss.backward()\nprint');
  });

  it('is written for a statement alone', () => {
    const { trace, pass } = calling('f(x).backward(g)', 14);
    expect(laterLoss(trace, pass)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import { draftTrace, vectorJacobianProduct } from './jacobian_draft';

const trace = fixture as unknown as Trace;
const names = new Map(trace.tensors.map((tensor) => [tensor.names[0], tensor.id]));
const leaf = (name: string) => names.get(name)!;

describe('the gradient is linear', () => {
  it('weighs rows and adds them', () => {
    expect(
      vectorJacobianProduct(
        [1, 2],
        [
          [4, 3],
          [2, 6],
        ],
      ),
    ).toEqual([8, 15]);
    expect(vectorJacobianProduct([1], [['Infinity', 'NaN', -2]])).toEqual([Infinity, NaN, -2]);
    expect(vectorJacobianProduct([], [])).toEqual([]);
  });

  it('gives back the trace for the same gradient', () => {
    expect(draftTrace(trace, 0, [1, 1, 1, 1, 1, 1])!.passes[0]).toEqual(trace.passes[0]);
  });

  it('reaches every gradient, grad_input and bucket of the pass', () => {
    const pass = draftTrace(trace, 0, [0, 1, 0, 0, 0, 0])!.passes[0]!;
    expect(pass.gradients[leaf('a')]!.data).toEqual([2, 5, 0, 0]);
    expect(pass.gradients[leaf('b')]!.data).toEqual([0, 1, 0, 0, 2, 0]);
    expect(pass.steps[0]!.grad_outputs[0]!.data).toEqual([0, 1, 0, 0, 0, 0]);
    const gradInputs = pass.steps[0]!.grad_inputs.map((gradInput) => gradInput.value.data);
    expect(gradInputs).toContainEqual([2, 5, 0, 0]);
    expect(pass.accumulations.map((sum) => sum.after.data)).toContainEqual([0, 1, 0, 0, 2, 0]);
  });

  it('adds to what a bucket held before', () => {
    const pass = trace.passes[0]!;
    const accumulations = pass.accumulations.map((sum) => ({ ...sum, before: sum.incoming }));
    const twice = { ...trace, passes: [{ ...pass, accumulations }] };
    const after = draftTrace(twice, 0, [0, 0, 0, 0, 0, 0])!.passes[0]!.accumulations;
    expect(after.map((sum) => sum.after.data)).toEqual(accumulations.map((sum) => sum.before.data));
  });

  it('leaves the trace alone without a Jacobian or with another shape', () => {
    const pass = { ...trace.passes[0]!, jacobian: null };
    expect(draftTrace({ ...trace, passes: [pass] }, 0, [1, 1, 1, 1, 1, 1])).toBeNull();
    expect(draftTrace(trace, 0, [1, 1])).toBeNull();
    expect(draftTrace(trace, 3, [1])).toBeNull();
  });
});

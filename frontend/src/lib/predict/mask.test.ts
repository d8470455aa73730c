import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import runs from '../../fixtures/elements.json';
import { buildTimeline } from '../animation/timeline';
import { Lookup } from '../trace/lookup';
import { hiddenBy, maskedTrace } from './mask';
import { askable } from './question';

const traces = new Map(
  (runs as unknown as { name: string; trace: Trace }[]).map((run) => [run.name, run.trace]),
);

/** A run in which every number of what is hidden is another, so that it would be seen anywhere. */
function marked(trace: Trace, pass: number, tensors: ReadonlySet<string>): Trace {
  const copy = structuredClone(trace);
  const targets = new Map(copy.edges.map((edge) => [edge.id, edge.tensor]));
  const mark = (value: { data: unknown[] | null } | null | undefined) => value?.data?.fill(987654321);
  for (const one of copy.passes.slice(pass)) {
    for (const id of tensors) mark(one.gradients[id]);
    for (const id of tensors) one.jacobian?.[id]?.rows.forEach((row) => row.fill(987654321));
    for (const sum of one.accumulations) if (tensors.has(sum.tensor)) [sum.incoming, sum.after].forEach(mark);
    for (const step of one.steps)
      for (const sent of step.grad_inputs)
        if (tensors.has(targets.get(sent.edge) ?? '')) [sent.value, sent.expanded].forEach(mark);
  }
  const nodes = new Map(copy.nodes.map((node) => [node.id, node]));
  for (const step of copy.passes[pass]!.steps)
    nodes.get(step.node)!.outputs.forEach((id, k) => tensors.has(id) && mark(step.grad_outputs[k]));
  for (const tensor of copy.tensors) if (tensors.has(tensor.id)) mark(tensor.grad);
  copy.stdout = '987654321\n';
  for (const event of copy.events) if (event.kind === 'print') event.text = '987654321\n';
  return copy;
}

describe('a masked run', () => {
  for (const [name, trace] of traces)
    for (const pass of trace.passes.keys())
      for (const { tensor } of askable(new Lookup(trace), pass))
        it(`${name}, pass ${pass}, ${tensor}: has no hidden number`, () => {
          const hidden = hiddenBy(trace, trace.passes[pass]!, tensor).tensors;
          const masked = maskedTrace(marked(trace, pass, hidden), { pass, tensor });
          const printed = masked.events.some((event) => event.kind === 'print');
          if (!printed) expect(JSON.stringify({ ...masked, source: '' })).not.toContain('987654321');
          expect(masked.passes).toHaveLength(pass + 1);
          expect(() => buildTimeline(masked)).not.toThrow();
        });

  it('keeps what is not computed from the gradient that is asked for', () => {
    const trace = traces.get('01_matrix_product')!;
    const [a, b] = ['a', 'b'].map((each) => trace.tensors.find(({ names }) => names.includes(each))!.id);
    const masked = maskedTrace(trace, { pass: 0, tensor: a! });
    expect(Object.keys(masked.passes[0]!.gradients)).toContain(b);
    expect(masked.passes[0]!.accumulations.map(({ tensor }) => tensor)).toEqual([b]);
    expect(masked.tensors.find(({ id }) => id === a)!.grad).toBeNull();
    expect(masked.tensors.find(({ id }) => id === b)!.grad).not.toBeNull();
    expect(masked.stdout).toBe('');
  });

  it('hides what is computed from an intermediate gradient', () => {
    const trace = traces.get('23_intermediate_gradient')!;
    const question = askable(new Lookup(trace), 0).find(({ of }) => of === 'gradient')!;
    const masked = maskedTrace(trace, { pass: 0, tensor: question.tensor });
    expect(masked.passes[0]!.accumulations).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace, TraceEvent } from '../../api/types';
import { Sketch } from '../../test/sketch';
import { Lookup } from '../trace/lookup';
import { hookedIn } from './hooks';

/** `y = exp(x)`, `z = y.sum()`, with hooks of both; what the hook of y makes of its gradient. */
function traceWith(after: (x: number) => number): { trace: Trace; y: string } {
  const sketch = new Sketch({ told: true });
  const x = sketch.leaf('x', [2]);
  const y = sketch.apply('exp', [x], { name: 'y', shape: [2] });
  sketch.backward(sketch.apply('sum', [y], { name: 'z', shape: [] }));
  const trace = sketch.trace();
  const pass = trace.passes[0]!;
  const [first, second] = pass.steps;
  const sent = first!.grad_inputs[0]!.value;
  second!.grad_outputs = [{ ...sent, data: sent.data!.map((each) => after(Number(each))) }];
  const hook = (tensor: string, step: number): TraceEvent => ({
    kind: 'hook',
    tensor,
    node: null,
    place: null,
    span: null,
    during: { pass_id: pass.id, step },
  });
  const events = [...trace.events, hook(y.id, 1), hook(y.id, 1), hook(x.id, 2)];
  return { trace: { ...trace, events }, y: y.id };
}

describe('hookedIn', () => {
  it('tells the gradients that hooks change, each once, before and after', () => {
    const { trace, y } = traceWith((x) => x + 1);
    const sent = trace.passes[0]!.steps[0]!.grad_inputs[0]!.value.data!.map(Number);
    const [found, ...others] = hookedIn(new Lookup(trace), trace.passes[0]!);
    expect(others).toEqual([]);
    expect(found!.tensor).toBe(y);
    expect(found!.before.data).toEqual(sent);
    expect(found!.after.data).toEqual(sent.map((x) => x + 1));
    expect(trace.events[found!.event]).toMatchObject({ kind: 'hook', tensor: y });
  });

  it('passes over hooks that leave the gradient as it is, and those of other passes', () => {
    const { trace } = traceWith((x) => x);
    expect(hookedIn(new Lookup(trace), trace.passes[0]!)).toEqual([]);
    const changed = traceWith((x) => x + 1).trace;
    expect(hookedIn(new Lookup(changed), { ...changed.passes[0]!, id: 'p9' })).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import { en } from '../../i18n/en';
import { zh } from '../../i18n/zh';
import { training } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { Lookup } from '../trace/lookup';
import { segmentLabel, sentenceFor, withoutMarks } from './narration';
import { buildTimeline } from './timeline';

/** The sentences about segments of these kinds, in English. */
function sentences(trace: Trace, kinds: string[], t = en): string[] {
  const [lookup, timeline] = [new Lookup(trace), buildTimeline(trace)];
  return timeline.segments
    .filter(({ kind }) => kinds.includes(kind))
    .map((segment) => withoutMarks(sentenceFor(t, { lookup, timeline, segment, ended: false })));
}

function lineOf(source: string): Sketch {
  const sketch = new Sketch({ told: true });
  expect(source).not.toContain('\n');
  return sketch;
}

it('does not say of a backward that the program wrote that it is a Jacobian', () => {
  const sketch = new Sketch({ told: true });
  sketch.backward(sketch.apply('STE', [sketch.leaf('w')], { name: 'q' }));
  const trace = sketch.trace();
  const [plain] = sentences(trace, ['rule']);
  expect(plain).toContain('Jacobian');
  const rule = {
    inputs: [],
    outputs: [],
    forward: [],
    gradients: {},
    expressions: { x: ['call', 'backward'] },
  };
  const [own] = sentences({ ...trace, rules: { r0: rule } }, ['rule']);
  expect(own).toContain('runs on it the backward that the program wrote for STE');
});

describe('the sentence about an event', () => {
  it('names the leaves that an optimizer changes', () => {
    expect(sentences(training(1), ['step'])[0]).toBe('Step. SGD changes w and b.');
    expect(sentences(training(1), ['step'], zh)[0]).toBe('更新。SGD 更新 w 和 b。');
  });

  it('tells how every bucket flows into its value, and that it stays full', () => {
    expect(sentences(training(1), ['step']).slice(1)).toEqual([
      'Flow. What SGD makes of every bucket flows into its value: 2 leaves at once.',
      'Write. 2 values are new; the buckets stay full until they are zeroed.',
    ]);
  });

  it('counts the names that are too many', () => {
    const sketch = new Sketch({ told: true });
    for (const name of ['a', 'b', 'c', 'd', 'e']) sketch.leaf(name);
    sketch.step('Adam');
    expect(sentences(sketch.trace(), ['step'])).toEqual(['Step. Adam changes a, b and 3 more.']);
    expect(sentences(sketch.trace(), ['step'], zh)).toEqual(['更新。Adam 更新 a、b 和另外 3 个。']);
  });

  it('says what zeroing leaves, with the text of the call', () => {
    const sketch = lineOf('a.grad');
    sketch.leaf('a');
    sketch.zeroGrad();
    sketch.zeroGrad('zeros');
    const trace = sketch.trace({ source: '\nopt.zero()\n a.grad.zero_()' });
    expect(sentences(trace, ['zero'])).toEqual([
      'Zero. opt.zero() sets a.grad to None.',
      'Zero. a.grad.ze sets a.grad to zeros.',
    ]);
    expect(sentences(trace, ['zero'], zh)[0]).toBe('清零。opt.zero() 把 a.grad 设为 None。');
  });

  it('gives the numbers of a small write, and how it was done', () => {
    const sketch = new Sketch({ told: true });
    const w = sketch.leaf('w', []);
    sketch.write(w, 'no_grad', 'w -= lr * w.grad');
    sketch.write(w, 'data', 'w.data.mul_(2)');
    const trace = sketch.trace();
    const values = [0.5, 0.46, 0.92];
    trace.tensors[0]!.versions.forEach(({ value }, k) => (value.data = [values[k]!]));
    expect(sentences(trace, ['write'])).toEqual([
      'Write. w -= lr * w.grad changes w from 0.5 to 0.46 under no_grad; no function is recorded.',
      'Write. w.data.mul_(2) changes w from 0.46 to 0.92 through .data; autograd does not see it.',
    ]);
    expect(sentences(trace, ['write'], zh)[0]).toBe(
      '写入。w -= lr * w.grad 在 no_grad 下修改 w，从 0.5 变为 0.46，不记录函数。',
    );
  });

  it('leaves out the numbers of a large one', () => {
    const sketch = new Sketch({ told: true });
    sketch.write(sketch.leaf('m', [3, 3]), 'in_place', 'm.zero_()');
    expect(sentences(sketch.trace(), ['write'])).toEqual(['Write. m.zero_() changes m in place.']);
  });

  it('quotes what is printed, on one line', () => {
    const sketch = new Sketch({ told: true });
    sketch.leaf('a');
    sketch.print('tensor([1.,\n        2.])\n');
    sketch.print('`b`\n');
    expect(sentences(sketch.trace(), ['print'])).toEqual(["Print. The program prints tensor([1., 2.]) 'b'."]);
  });

  it('tells of writes into a gradient', () => {
    const sketch = new Sketch({ told: true });
    sketch.writeGrad(sketch.leaf('a', [3, 3]), 'a.grad.clamp_(0, 1)');
    expect(sentences(sketch.trace(), ['write'])).toEqual(['Write. a.grad.clamp_(0, 1) changes a.grad.']);
  });
});

it('labels every segment of a training loop', () => {
  const trace = training(1);
  const [lookup, timeline] = [new Lookup(trace), buildTimeline(trace)];
  const labels = timeline.segments.map((segment) => withoutMarks(segmentLabel(en, lookup, segment)));
  expect(labels.slice(0, 4)).toEqual(['1 x', '2 w', '3 b', 'zero']);
  expect(labels.slice(-4)).toEqual([
    'step read .grad',
    'step flow into the values',
    'step write the values',
    'print',
  ]);
});

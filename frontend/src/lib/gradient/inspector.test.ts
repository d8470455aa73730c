import { describe, expect, it } from 'vitest';
import type { TensorRecord, Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import { en } from '../../i18n/en';
import { segmentLabel, sentenceFor, withoutMarks } from '../animation/narration';
import { buildTimeline, restTime } from '../animation/timeline';
import { Lookup } from '../trace/lookup';
import { currentGradInput, savedNames, stepOf, whyNoGradient } from './inspector';

const trace = fixture as unknown as Trace;
const lookup = new Lookup(trace);
const timeline = buildTimeline(trace);
const node = trace.nodes[0]!;

const at = (segment: number) => restTime(timeline.segments[segment]!);
const states = (segment: number) =>
  stepOf(lookup, timeline, node.id, at(segment))!.gradInputs.map(({ state }) => state);

describe('the inspector', () => {
  it('says of each grad_input where it is', () => {
    expect(states(3)).toEqual(['later', 'next']);
    expect(states(5)).toEqual(['next', 'onItsWay']);
    expect(states(7)).toEqual(['onItsWay', 'added']);
    expect(states(8)).toEqual(['added', 'added']);
  });

  it('speaks of the grad_input at hand', () => {
    const shown = timeline.segments.map((_, k) => {
      const step = stepOf(lookup, timeline, node.id, at(k))!;
      return lookup.name(currentGradInput(step.gradInputs)?.tensor?.id);
    });
    expect(shown.slice(3)).toEqual(['b', 'b', 'b', 'b', 'a', 'a', 'a']);
  });

  it('has no numbers before a gradient arrives', () => {
    const begun = timeline.segments.map((_, k) => stepOf(lookup, timeline, node.id, at(k))!.isBegun);
    expect(begun.slice(0, 5)).toEqual([false, false, false, true, true]);
  });

  it('fills the numbers in during the rule', () => {
    const { start, end } = timeline.segments[4]!;
    const ruled = [start, (start + 2 * end) / 3, end].map(
      (time) => stepOf(lookup, timeline, node.id, time)!.ruled,
    );
    expect(ruled[0]).toBe(0);
    expect(ruled[1]).toBeCloseTo(0.5);
    expect(ruled[2]).toBe(1);
  });

  it('names what was saved once', () => {
    expect(savedNames(node, lookup)).toEqual(['a', 'b']);
    const twice = { ...node, saved: [node.saved[0]!, { ...node.saved[0]!, name: 'other' }] };
    expect(savedNames(twice, lookup)).toEqual([lookup.name(node.saved[0]!.tensor)]);
  });

  it('tells why no gradient flows', () => {
    const leaf = { ...trace.tensors[0]!, requires_grad: false, node: null } as TensorRecord;
    const maker = { ...node, id: 'n9', op: 'detach' };
    const made = { ...trace, nodes: [...trace.nodes, maker] };
    expect(whyNoGradient(trace, trace.tensors[0]!)).toBeNull();
    expect(whyNoGradient(trace, leaf)).toBe('constant');
    expect(whyNoGradient(trace, { ...leaf, dtype: 'int64' })).toBe('integer');
    expect(whyNoGradient(made, { ...leaf, node: 'n9' })).toBe('detached');
    expect(whyNoGradient(trace, { ...leaf, node: node.id })).toBe('computed');
  });
});

describe('the sentence of a segment', () => {
  const say = (segment: number) =>
    withoutMarks(sentenceFor(en, { lookup, timeline, segment: timeline.segments[segment]!, ended: false }));

  it('tells the whole course of the first example', () => {
    expect(timeline.segments.map((_, k) => say(k))).toEqual([
      'Forward. a is made from data.',
      'Forward. b is made from data.',
      'Forward. mm computes c.',
      'Arrive. The gradient given for c reaches mm.',
      'Rule. MmBackward0 multiplies it by the Jacobian of mm.',
      'Share. The part that belongs to b leaves mm; next it is added into b.grad.',
      'Add. The share is added into b.grad.',
      'Share. The part that belongs to a leaves mm; next it is added into a.grad.',
      'Add. The share is added into a.grad.',
      'Print. The program prints tensor([[ 6., 15.], [ 6., 15.]]) tensor([[4., 4….',
    ]);
  });

  it('has a label for each', () => {
    expect(timeline.segments.map((segment) => withoutMarks(segmentLabel(en, lookup, segment)))).toEqual([
      ...['1 a', '2 b', '3 c'],
      ...['arrive', 'rule', 'share to b', 'add b', 'share to a', 'add a', 'print'],
    ]);
  });

  it('tells how a run ended', () => {
    const end = { lookup, timeline, segment: timeline.segments.at(-1)!, ended: true };
    expect(withoutMarks(sentenceFor(en, end))).toMatch(
      /^Print\. The program prints tensor.* Done\. The backward pass is complete\.$/,
    );
    expect(sentenceFor(en, { ...end, segment: null })).toBe('Nothing has been computed yet.');
    expect(sentenceFor(en, { ...end, segment: null, running: true })).toBe('The program is running.');
  });
});

describe('a place in the source', () => {
  const offset = (text: string) => trace.source.indexOf(text) + 1;

  it('belongs to the innermost expression', () => {
    expect(lookup.at(offset('a.mm(b)'))).toEqual({ kind: 'node', id: node.id });
    expect(lookup.at(offset('torch.tensor'))).toEqual({ kind: 'tensor', id: trace.tensors[0]!.id });
    expect(lookup.at(offset('import'))).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { en } from '../../i18n/en';
import { zh } from '../../i18n/zh';
import { Sketch } from '../../test/sketch';
import { sentenceFor, withoutMarks } from '../animation/narration';
import { buildTimeline } from '../animation/timeline';
import { Lookup } from '../trace/lookup';
import { layerOf, parameterOf, turnerOf } from '../rules/layer';
import { legendOf } from '../rules/letters';

/** `y = linear(x)`, backward: the layer turns its weight round. */
function layer() {
  const sketch = new Sketch({ told: true });
  const x = sketch.constant({ name: 'x', shape: [2, 3] });
  const weight = sketch.leaf('model.0.weight', [4, 3]);
  const turned = sketch.apply('t', [weight], { shape: [3, 4] });
  const y = sketch.apply('affine', [x, turned], { shape: [2, 4] });
  sketch.backward(sketch.apply('sum', [y], { name: 'loss', shape: [] }));
  const lookup = new Lookup(sketch.trace());
  return { lookup, weight, turned, y };
}

describe('the t of a linear layer', () => {
  const { lookup, turned } = layer();
  const [turner, affine, sum] = lookup.trace.nodes;

  it('belongs to the layer', () => {
    expect(layerOf(lookup, turner!.id)).toBe(affine);
    expect(layerOf(lookup, sum!.id)).toBeNull();
    expect(turnerOf(lookup, lookup.node(turner!.id)!.outputs[0])).toBe(turner);
    expect(parameterOf(lookup, turner!.outputs[0])?.names).toEqual(['model.0.weight']);
    expect(turned).toBeDefined();
  });

  it('is told with its weight, and never with a Jacobian of t', () => {
    const timeline = buildTimeline(lookup.trace);
    const say = (t: typeof en) =>
      timeline.segments.map((segment) =>
        withoutMarks(sentenceFor(t, { lookup, timeline, segment, ended: false })),
      );
    expect(say(en)).toContain('Rule. t turns it back into the shape of model.0.weight.');
    expect(say(en).join(' ')).not.toContain('Jacobian of t.');
    expect(say(zh)).toContain('规则。t 把它转回 model.0.weight 的形状。');
  });

  it('has no letter of its own: the legend names the weight', () => {
    const names = legendOf(lookup, affine!).flatMap((line) => line.names);
    expect(names).toContain('model.0.weight');
    expect(names).toHaveLength(2);
  });
});

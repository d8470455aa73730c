import type { EdgeState } from '../../animation/element_states';
import { arrowData, lengthOf, pathData, trimCurve } from '../curve_path';
import type { Curve } from '../layout';

/** One path of a line: what it is, and how it is drawn where the style of its kind does not say it. */
export interface EdgePart {
  kind: 'wire' | 'tip' | 'forward' | 'forward-tip' | 'gradient' | 'gradient-tip';
  d: string;
  dash?: string | undefined;
  offset?: number | undefined;
  width?: number | undefined;
}

/** Arrowheads: the data's at the function, the gradient's at the tensor. */
const TIP = 9;

/** What is drawn of a line that carries nothing is worked out once: a curve stays where it is. */
const resting = new WeakMap<Curve, { wire: Curve; d: string; tip: string; length: number }>();

function restingLine(curve: Curve) {
  const known = resting.get(curve);
  if (known) return known;
  const wire = trimCurve(curve, TIP - 3, 0);
  const made = {
    wire,
    d: pathData(wire),
    tip: arrowData(curve, 'start', TIP, TIP),
    length: lengthOf(wire),
  };
  resting.set(curve, made);
  return made;
}

/** What has gone forward along a line, and its arrowhead. Dashes cut the line where the data are. */
function forwardParts(curve: Curve, forward: number): EdgePart[] {
  if (forward === 0) return [];
  const { d, tip, length } = restingLine(curve);
  if (forward >= 1)
    return [
      { kind: 'forward', d },
      { kind: 'forward-tip', d: tip },
    ];
  return [{ kind: 'forward', d, dash: `${forward * length} ${length}`, offset: (forward - 1) * length }];
}

/** The gradient's line, as far as it has come, over what is left of the wire. */
function gradientParts(curve: Curve, { fill, width }: EdgeState): { under: EdgePart[]; over: EdgePart[] } {
  const head = 7 + width;
  const line = trimCurve(curve, 0, head - 2);
  const d = pathData(line);
  const tip: EdgePart = { kind: 'gradient-tip', d: arrowData(curve, 'end', Math.max(11, 8 + width), head) };
  if (fill >= 1) return { under: [], over: [{ kind: 'gradient', d, width }, tip] };
  const length = lengthOf(line);
  return {
    under: [{ kind: 'wire', d, dash: `0 ${fill * length} ${(1 - fill) * length} ${length}` }],
    over: [{ kind: 'gradient', d, width, dash: `${fill * length} ${length + 20}` }, tip],
  };
}

/**
 * The paths of a line as it looks now, from the lowest to the highest, along a curve that runs as gradients do. Lines at
 * rest have no dashes: dashing a long curve is slow.
 */
export function edgeParts(curve: Curve, state: EdgeState, constant: boolean): EdgePart[] {
  const forward = forwardParts(curve, state.forward);
  if (state.fill > 0) {
    const { under, over } = gradientParts(curve, state);
    return [...under, ...forward, ...over];
  }
  const { d, tip } = restingLine(curve);
  const parts: EdgePart[] = [{ kind: 'wire', d }];
  if (!constant || !state.future) parts.push({ kind: 'tip', d: tip });
  return [...parts, ...forward];
}

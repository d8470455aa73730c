import { expect, it } from 'vitest';
import { FUTURE_EDGE, type EdgeState } from '../../animation/element_states';
import type { Curve } from '../layout';
import { edgeParts } from './edge_parts';

const CURVE: Curve = [0, 40, 80, 120].map((y) => ({ x: 0, y }));

function kinds(state: Partial<EdgeState>, constant = false): string[] {
  return edgeParts(CURVE, { ...FUTURE_EDGE, ...state }, constant).map(({ kind }) => kind);
}

it.each<[string, Partial<EdgeState>, string[]]>([
  ['before anything flows', {}, ['wire', 'tip']],
  ['while data come', { future: false, forward: 0.5 }, ['wire', 'tip', 'forward']],
  ['when they have come', { future: false, forward: 1 }, ['wire', 'tip', 'forward', 'forward-tip']],
  ['while the gradient comes', { fill: 0.5 }, ['wire', 'gradient', 'gradient-tip']],
  ['when it has come', { fill: 1 }, ['gradient', 'gradient-tip']],
])('%s', (_, state, expected) => {
  expect(kinds(state)).toEqual(expected);
});

it('leads to no function that a constant has not reached', () => {
  expect(kinds({}, true)).toEqual(['wire']);
  expect(kinds({ future: false }, true)).toEqual(['wire', 'tip']);
});

it('is cut by dashes only where something moves', () => {
  const dashed = (state: Partial<EdgeState>) =>
    edgeParts(CURVE, { ...FUTURE_EDGE, ...state }, false).filter(({ dash }) => dash !== undefined);
  expect(dashed({}).length + dashed({ fill: 1 }).length + dashed({ forward: 1 }).length).toBe(0);
  const [rest, come] = dashed({ fill: 0.25, width: 3 });
  // The arrowhead of a line 3 wide takes 8 of its 120 pixels.
  expect(rest?.dash).toBe('0 28 84 112');
  expect(come).toMatchObject({ width: 3, dash: '28 132' });
});

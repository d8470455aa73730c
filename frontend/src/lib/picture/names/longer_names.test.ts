import { expect, it } from 'vitest';
import { Sketch } from '../../../test/sketch';
import { courseOf } from '../../animation/course';
import { buildTimeline } from '../../animation/timeline';
import { GraphSource } from '../../graph/source';
import { modelOf } from '../../graph/model';
import type { Card } from '../../graph/types';
import { alignPacked, planRowCard, type RowPlan } from '../rows';
import { arrangeLeaves } from './longer_names';
import { rowNames } from './row_names';

/** The leaves of a program, standing together, by the names of its parameters. */
function leaves(...labels: string[]): Card[] {
  const sketch = new Sketch();
  const all = labels.map((name) => sketch.leaf(name, [2]));
  sketch.backward(sketch.apply('sum', all, { name: 'loss', shape: [] }));
  const trace = sketch.trace();
  const source = new GraphSource(trace, courseOf(trace, buildTimeline(trace)));
  const context = source.slices.at(source.turns.at(0));
  const { cards } = modelOf(context, { folded: [], framed: [] }, 'rows', true);
  return cards.filter(({ maker }) => maker === null);
}

function planned(cards: readonly Card[], names: ReadonlyMap<string, string>): Map<string, RowPlan> {
  return new Map(cards.map((card) => [card.id, planRowCard(card, names.get(card.id)!)]));
}

const LONG = ['model.encoder.layers.0.attention.weight', 'model.encoder.layers.0.attention.bias', 'w'];

function namesIn(room: number): string[] {
  const cards = leaves(...LONG);
  const plans = planned(cards, rowNames(cards));
  arrangeLeaves(cards, plans, room, 17, planned);
  return cards.map(({ id }) => plans.get(id)!.name);
}

it('names of leaves that stand together are longer where they take no more rows', () => {
  const [narrow, wide] = [namesIn(660), namesIn(2000)];
  expect(narrow[2]).toBe('w');
  for (const k of [0, 1]) expect(wide[k]!.length).toBeGreaterThan(narrow[k]!.length);
  expect(wide.slice(0, 2).every((name, k) => name.endsWith(LONG[k]!.split('.').at(-1)!))).toBe(true);
});

it('leaves stay as they are where columns would take more rows', () => {
  const [short, long] = leaves('a', 'a_long_name') as [Card, Card];
  const cards = [{ ...short, gradient: true }, long];
  const plans = planned(cards, rowNames(cards));
  const before = new Map(plans);
  const widest = Math.max(...[...plans.values()].map(({ width }) => width));
  arrangeLeaves(cards, plans, 2 * widest + 8, 17, planned);
  expect(plans).toEqual(before);
  arrangeLeaves(cards, plans, 3 * widest, 17, planned);
  expect(plans).not.toEqual(before);
});

it('leaves that stand together have the same columns', () => {
  const cards = leaves('a', 'b', 'c');
  const plans = planned(cards, rowNames(cards));
  const [first] = cards;
  const own = plans.get(first!.id)!;
  plans.set(first!.id, { ...own, gradient: own.value });
  alignPacked(plans);
  const all = cards.map(({ id }) => plans.get(id)!);
  expect(new Set(all.map(({ width }) => width)).size).toBe(1);
  expect(all[0]!.columns.bucket).toBeLessThan(all[1]!.columns.bucket);
  expect(all[1]!.columns).toEqual(all[2]!.columns);
});

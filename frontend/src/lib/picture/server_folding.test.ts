import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import runs from '../../fixtures/folding.json';
import { autoFoldsOf, foldAt, groupsOf, type Group } from '../graph/folding';
import { sizeOf } from '../graph/model';
import { GraphSource } from '../graph/source';

interface Run {
  name: string;
  trace: Trace;
  drawn: string[];
  groups: string[];
  sizes: number[];
}

function outlineOf(groups: Group[]): string[] {
  return groups.flatMap((group) => {
    const turn = group.turn ? ' (one of several)' : '';
    const own = `${'  '.repeat(group.depth)}${group.kind} ${group.title}${turn}: ${group.nodes.map(({ id }) => id).join(' ')}`;
    return [own, ...outlineOf(group.children)];
  });
}

describe.each(runs as unknown as Run[])('$name', ({ trace, drawn, groups: told, sizes }) => {
  const turns = trace.places.filter(({ kind }) => kind === 'turn');
  const course = [...turns.map(({ id }) => id), null];
  const source = new GraphSource(trace, course);
  const choice = source.turns.at(turns.length);
  const context = source.slices.at(choice);
  const groups = groupsOf(trace, context.nodes, context.tensors, source.scopes, (place) =>
    source.turns.stacked(place, choice),
  );

  it('is drawn as the pictures of the server draw it', () => {
    expect([...context.tensors, ...context.nodes].map(({ id }) => id)).toEqual(drawn);
  });

  it('has the same groups', () => {
    expect(outlineOf(groups)).toEqual(told);
  });

  it('folds in the same ways', () => {
    expect(autoFoldsOf(groups).map((fold) => sizeOf(context, foldAt(groups, {}, fold)))).toEqual(sizes);
  });
});

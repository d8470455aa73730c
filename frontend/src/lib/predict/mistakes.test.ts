import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import runs from '../../fixtures/elements.json';
import { LocalMaps } from '../touch/local_maps';
import { pick } from '../touch/pick';
import { Lookup } from '../trace/lookup';
import { candidates, mistakesFor, type Evidence, type Mistake } from './mistakes';
import { askable, isRight, questionOf, roundOf, type Question } from './question';

const traces = new Map(
  (runs as unknown as { name: string; trace: Trace }[]).map((run) => [run.name, run.trace]),
);

function evidenceOf(trace: Trace, question: Question): Evidence {
  const lookup = new Lookup(trace);
  const maps = new LocalMaps(trace);
  const pass = trace.passes[question.pass]!;
  const { tensor, of } = question;
  return { lookup, maps, question, picked: (k) => pick(lookup, maps, pass, { tensor, of, k }) };
}

function about(name: string, tensor: string, pass = 0): Evidence {
  const trace = traces.get(name)!;
  const id = trace.tensors.find(({ names }) => names.includes(tensor))!.id;
  return evidenceOf(trace, questionOf(trace, { pass, tensor: id })!);
}

function kinds(name: string, tensor: string, k: number, typed: number, pass = 0): Mistake['kind'][] {
  return mistakesFor(about(name, tensor, pass), k, typed).map(({ kind }) => kind);
}

describe('a wrong number', () => {
  it('in the first example is known for what it is', () => {
    const known: [number, number, Mistake['kind']][] = [
      [1, 6, 'transposed'],
      [1, 30, 'twice'],
      [1, -15, 'sign'],
      [1, 3, 'upstreamOnly'],
      [1, 4, 'oneTerm'],
      [1, 11, 'missingTerm'],
      [1, 2, 'value'],
      [1, 0, 'zero'],
    ];
    for (const [k, typed, kind] of known)
      expect(kinds('01_matrix_product', 'a', k, typed), String(typed)).toContain(kind);
  });

  it('of a second pass has left out what was there, or added it again', () => {
    const trace = traces.get('19_second_pass_adds')!;
    const leaf = trace.tensors.find(({ id }) => id === trace.passes[1]!.accumulations[0]!.tensor)!;
    const { before, incoming, after } = trace.passes[1]!.accumulations[0]!;
    const [b, i, a] = [before, incoming, after].map((value) => Number(value!.data![0]));
    expect(kinds('19_second_pass_adds', leaf.names[0]!, 0, i!, 1)).toContain('withoutBefore');
    expect(kinds('19_second_pass_adds', leaf.names[0]!, 0, a! + i!, 1)).toContain('twice');
    expect(kinds('19_second_pass_adds', leaf.names[0]!, 0, b!, 1)).toContain('onlyBefore');
  });

  it('after broadcasting is one of the addends', () => {
    const found = candidates(about('shared', 'b'), 0).filter(({ kind }) => kind === 'notSummed');
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(kinds('shared', 'b', 0, found[1]!.number)).toContain('notSummed');
  });

  it('has stopped on the way: the derivative of one function is missing', () => {
    const evidence = about(
      'layer',
      traces.get('layer')!.tensors.find((each) => each.is_leaf && each.requires_grad)!.names[0]!,
    );
    const found = candidates(evidence, 0).filter(({ kind }) => kind === 'chain');
    expect(found.map(({ detail }) => detail)).toContain('tanh');
    const tanh = found.find(({ detail }) => detail === 'tanh')!;
    expect(mistakesFor(evidence, 0, tanh.number).map(({ kind, detail }) => [kind, detail])).toContainEqual([
      'chain',
      'tanh',
    ]);
  });

  it('comes along one of several ways', () => {
    const found = candidates(about('shared', 'x'), 1).filter(({ kind }) => kind === 'onePath');
    expect(found.map(({ detail }) => detail).toSorted()).toEqual(['div', 'mul', 'sub']);
  });

  it('has no mistake to it where it is right, and none where nothing fits', () => {
    expect(kinds('01_matrix_product', 'a', 1, 15)).toEqual([]);
    expect(kinds('01_matrix_product', 'a', 1, 1234.5)).toEqual([]);
  });
});

describe('wrong answers of known kinds', () => {
  const tried = new Map<Mistake['kind'], number>();
  for (const [name, trace] of traces)
    for (const pass of trace.passes.keys())
      for (const question of askable(new Lookup(trace), pass)) {
        it(`${name}, pass ${pass}, ${question.tensor}`, () => {
          const evidence = evidenceOf(trace, question);
          for (const k of question.cells)
            for (const { kind, detail, number } of candidates(evidence, k)) {
              if (!Number.isFinite(number) || isRight(number, question.answers[k]!)) continue;
              const found = mistakesFor(evidence, k, number);
              expect(found.map((each) => [each.kind, each.detail])).toContainEqual([kind, detail]);
              tried.set(kind, (tried.get(kind) ?? 0) + 1);
            }
        });
      }

  it('are of every kind, and many', () => {
    expect([...tried.values()].reduce((sum, n) => sum + n, 0)).toBeGreaterThan(50);
    const all: Mistake['kind'][] = [
      'sign',
      'twice',
      'onlyBefore',
      'withoutBefore',
      'transposed',
      'otherCell',
      'upstreamLeftOut',
      'upstreamOnly',
      'onePath',
      'oneTerm',
      'missingTerm',
      'notSummed',
      'untransposed',
      'elementwise',
      'chain',
      'mean',
      'value',
      'zero',
      'rounded',
    ];
    expect(all.filter((kind) => !tried.has(kind))).toEqual([]);
  });
});

describe('a question', () => {
  it('can be asked of every gradient of a pass but those that it began with', () => {
    const trace = traces.get('shared')!;
    const lookup = new Lookup(trace);
    const names = askable(lookup, 1).map(({ tensor, of }) => [lookup.name(tensor), of]);
    expect(names.slice(0, 2).toSorted()).toEqual([
      ['b', 'grad'],
      ['x', 'grad'],
    ]);
    expect(names).toContainEqual(['y', 'gradient']);
    expect(names.map(([name]) => name)).not.toContain('m');
  });

  it('comes five times in a round, of different cells', () => {
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const round = roundOf(new Lookup(traces.get('shared')!), 5, random);
    expect(round).toHaveLength(5);
    expect(new Set(round.map(({ pass, tensor, cells }) => `${pass} ${tensor} ${cells[0]}`)).size).toBe(5);
  });

  it('takes a number as rounded as one writes it', () => {
    expect(isRight(0.333, 1 / 3)).toBe(true);
    expect(isRight(0.3, 1 / 3)).toBe(false);
    expect(isRight(15, 15)).toBe(true);
    expect(isRight(15.1, 15)).toBe(false);
    expect(isRight(0, 0)).toBe(true);
    expect(isRight(1e-4, 0)).toBe(false);
    expect(isRight(NaN, NaN)).toBe(true);
    expect(isRight(Infinity, -Infinity)).toBe(false);
  });
});

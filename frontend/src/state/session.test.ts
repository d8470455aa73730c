import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorRecord, Trace, TraceRequest } from '../api/types';
import fixture from '../fixtures/matrix_product.json';
import { restTime } from '../lib/animation/timeline';
import { trainingLoop } from '../test/loops';
import { REST } from './request_queue';
import { Session } from './session.svelte';

const first = fixture as unknown as Trace;
const longer = trainingLoop(4, { source: 'for epoch in range(4): ...' });
const ones = [1, 1, 1, 1, 1, 1];

const syntaxError: ErrorRecord = {
  type: 'SyntaxError',
  message: 'invalid syntax',
  code: 'syntax',
  span: { line: 1, column: 0, end_line: 1, end_column: 1 },
  explanation: { en: '', zh: '' },
  fix: null,
  cause: null,
  choices: [],
  tensor: null,
  frames: [],
};

const broken = (source: string): Trace => ({
  ...first,
  source,
  stdout: '',
  error: syntaxError,
  tensors: [],
  nodes: [],
  edges: [],
  passes: [],
});

/** What the server was asked, and what it will answer next. */
let asked: TraceRequest[];
let answers: ((source: string) => Response)[];

const answer = (trace: (source: string) => Trace) => (source: string) => Response.json(trace(source));

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(REST);
}

describe('the session', () => {
  let session: Session;

  beforeEach(() => {
    vi.useFakeTimers();
    asked = [];
    answers = [];
    vi.stubGlobal('fetch', async (_: URL, { body }: { body: string }) => {
      const request = JSON.parse(body) as TraceRequest;
      asked.push(request);
      return (answers.shift() ?? answer((source) => ({ ...first, source })))(request.source);
    });
    session = new Session();
    session.show(first);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('opens on the first backward step, its last grad_input in flight', () => {
    expect(session.segment).toMatchObject({ kind: 'send', pass: 0, step: 0 });
    expect(session.lookup.name(session.segment!.tensor)).toBe('a');
    expect(asked).toEqual([]);
  });

  it('steps from rest to rest, both ways', () => {
    session.toStart();
    const rests = session.timeline.segments.map(restTime);
    const forward = rests.map(() => (session.step(1), session.time));
    expect(forward).toEqual(rests);
    expect(session.ended).toBe(true);
    session.step(1);
    expect(session.time).toBe(session.timeline.duration);
    // The last rest is the end already: the first step back leaves it.
    const backward = rests.map(() => (session.step(-1), session.time));
    expect(backward).toEqual([...rests.slice(0, -1).toReversed(), 0]);
  });

  it('keeps the graph while the program cannot be read, and marks it as stale', async () => {
    answers.push(answer(broken));
    session.edit('import torch\na = (');
    await settle();
    expect(session.report.error?.type).toBe('SyntaxError');
    expect(session.trace.tensors).toBe(first.tensors);
    expect(session.stale).toBe(true);
    session.edit(first.source);
    await settle();
    expect(session.report.error).toBeNull();
    expect(session.stale).toBe(false);
  });

  it('goes to the end of the run that is on its way', async () => {
    session.edit(longer.source);
    answers.push(() => Response.json(longer));
    session.toEnd();
    await settle();
    expect(session.trace.source).toBe(longer.source);
    expect(session.time).toBe(session.timeline.duration);
  });

  it('stays where the reader went after that', async () => {
    session.edit(longer.source);
    answers.push(() => Response.json(longer));
    session.toEnd();
    session.step(-1);
    await settle();
    expect(session.ended).toBe(false);
  });

  it('keeps the cursor when the run has the same segments', async () => {
    session.seekSegment(4);
    const { time } = session;
    session.edit(`${first.source}  # a remark`);
    await settle();
    expect(session.time).toBe(time);
  });

  it('writes another gradient into the program, shows it at once, and then the server’s answer', async () => {
    session.giveGradient(0, [2, 3], [0, 0, 0, 0, 0, 0]);
    expect(session.pass!.gradients['t2']!.data).toEqual([0, 0, 0, 0, 0, 0]);
    expect(session.source).toContain('c.backward(torch.tensor([[0., 0., 0.], [0., 0., 0.]]))');
    expect(session.stale).toBe(false);
    expect(asked.at(-1)!.source).toBe(session.source);
    expect(asked.at(-1)!.gradients).toBeUndefined();
    expect(asked.at(-1)!.gradient).toBeUndefined();
    await settle();
    expect(session.pass!.gradients['t2']!.data).toEqual(ones);
  });

  it('undoes a drag as one change', () => {
    session.beginDrag();
    for (const x of [2, 3, 4]) session.giveGradient(0, [2, 3], ones.with(0, x), true);
    expect(session.dragging).toBe(true);
    session.endDrag();
    session.undo();
    expect(session.source).toBe(first.source);
    expect(session.canUndo).toBe(false);
    expect(session.dragging).toBe(false);
  });

  it('sends what the text cannot say beside the program', () => {
    session.show({ ...first, passes: [first.passes[0]!, { ...first.passes[0]!, id: 'p1' }] });
    session.giveGradient(1, [2, 3], [0, 0, 0, 0, 0, 1]);
    expect(session.source).toBe(first.source);
    expect(asked.at(-1)!.gradients).toEqual({
      1: [
        [0, 0, 0],
        [0, 0, 1],
      ],
    });
  });

  it('writes the gradient that was missing, and plays the pass', async () => {
    const start = first.source.indexOf('c.backward(');
    const line = first.source.slice(0, start).split('\n').length;
    const source = first.source.replace('torch.ones_like(c)', '');
    const span = { line, column: 0, end_line: line, end_column: 'c.backward()'.length };
    const tensor = first.passes[0]!.root;
    const error = { code: 'nonscalar-backward', span, tensor, message: '', explanation: {} };
    session.show({ ...first, source, passes: [], error } as unknown as Trace);
    expect(session.unweighted?.id).toBe(tensor);
    session.giveMissingGradient(ones.with(1, 7));
    expect(session.source).toContain('c.backward(torch.tensor([[1., 7., 1.], [1., 1., 1.]]))');
    await settle();
    expect(session.unweighted).toBeNull();
    expect(session.playing).toBe(true);
    session.undo();
    expect(session.source).toBe(source);
  });

  it('drops a given gradient when the program’s own argument is rewritten', async () => {
    session.show({ ...first, passes: [{ ...first.passes[0]!, span: null }] });
    session.giveGradient(0, [2, 3], ones.with(0, 5));
    await settle();
    expect(session.edits[0]?.data[0]).toBe(5);
    const column = first.passes[0]!.gradient_span!.column;
    const source = first.source.replace('torch.ones_like(c)', 'torch.ones(2, 3)');
    const span = { ...first.passes[0]!.gradient_span!, end_column: column + 'torch.ones(2, 3)'.length };
    const rewritten = answer((text) => ({
      ...first,
      source: text,
      passes: [{ ...first.passes[0]!, gradient_span: span }],
    }));
    answers.push(rewritten, rewritten);
    session.edit(source);
    await settle();
    expect(session.edits).toEqual({});
    expect(asked.at(-1)!.gradients).toBeUndefined();
  });

  it('tells of trouble, keeps everything, and tries again', async () => {
    answers.push(() => new Response('{"detail": "full"}', { status: 503, headers: { 'Retry-After': '2' } }));
    session.edit('print(1)');
    await settle();
    expect(session.problem).toMatchObject({ kind: 'busy', retryAfter: 2 });
    expect(session.source).toBe('print(1)');
    expect(session.trace.tensors).toBe(first.tensors);
    await vi.advanceTimersByTimeAsync(2000);
    expect(session.problem).toBeNull();
    expect(asked).toHaveLength(2);
  });

  it('goes from turn to turn at the same beat', () => {
    session.show(longer);
    expect(session.turn).toMatchObject({ number: 1, of: 4, variable: 'epoch = 0' });
    const { kind, step } = session.segment!;
    session.nextTurn();
    session.nextTurn();
    expect(session.turn!.number).toBe(3);
    expect(session.segment).toMatchObject({ kind, step, pass: 2 });
    session.previousTurn();
    expect(session.turn!.number).toBe(2);
    session.goToTurn(4);
    expect([session.turn!.number, session.hasTurn(1), session.hasTurn(-1)]).toEqual([4, false, true]);
    session.nextTurn();
    expect(session.turn!.number).toBe(4);
  });

  it('goes from act to act', () => {
    session.show(longer);
    session.goToTurn(2);
    session.stepAct(1);
    expect(session.segment).toMatchObject({ kind: 'step' });
    expect(session.time).toBe(session.segment!.start);
    session.stepAct(1);
    expect(session.segment!.kind).toBe('zero');
    expect(session.turn!.number).toBe(3);
    session.stepAct(-1);
    session.stepAct(-1);
    expect(session.segment).toMatchObject({ kind: 'arrive', pass: 1 });
  });

  it('knows no turns of a program without a loop', () => {
    expect([session.turn, session.chapter]).toEqual([null, null]);
    const { time } = session;
    session.nextTurn();
    session.goToTurn(3);
    session.stepAct(1);
    expect(session.time).toBe(time);
  });
});

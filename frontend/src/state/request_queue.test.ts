import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '../api/client';
import type { Trace, TraceRequest } from '../api/types';
import { RequestQueue, REST } from './request_queue';

const request = (source: string) => ({ source }) as TraceRequest;

/** A server whose answers the test gives. */
function server() {
  const calls: { source: string; signal: AbortSignal; answer: () => void; fail: (error: unknown) => void }[] =
    [];
  const answered: string[] = [];
  const problems: string[] = [];
  const queue = new RequestQueue({
    send: ({ source }, signal) =>
      new Promise((resolve, reject) => {
        calls.push({ source, signal, answer: () => resolve({ source } as Trace), fail: reject });
      }),
    answered: (trace) => void answered.push(trace.source),
    failed: (problem) => void problems.push(problem.kind),
    busy: () => undefined,
  });
  return { calls, answered, problems, queue };
}

describe('the queue of requests', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs what is typed at once, and what is typed meanwhile when typing rests', async () => {
    const { queue, calls, answered } = server();
    queue.typed(request('a'));
    expect(calls.map(({ source }) => source)).toEqual(['a']);
    queue.typed(request('ab'));
    vi.advanceTimersByTime(REST - 1);
    queue.typed(request('abc'));
    vi.advanceTimersByTime(REST - 1);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.map(({ source }) => source)).toEqual(['a', 'abc']);
    calls[1]!.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toEqual(['abc']);
    queue.typed(request('abcd'));
    expect(calls).toHaveLength(3);
  });

  it('aborts what is under way when the program changes, and ignores its answer', async () => {
    const { queue, calls, answered } = server();
    queue.now(request('old'));
    queue.typed(request('new'));
    expect(calls[0]!.signal.aborted).toBe(true);
    calls[0]!.answer();
    await vi.advanceTimersByTimeAsync(REST);
    calls[1]!.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toEqual(['new']);
  });

  it('sends only the latest state of what is dragged', async () => {
    const { queue, calls, answered } = server();
    for (const source of ['1', '2', '3']) queue.live(request(source));
    expect(calls.map(({ source }) => source)).toEqual(['1']);
    calls[0]!.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.map(({ source }) => source)).toEqual(['1', '3']);
    calls[1]!.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toEqual(['1', '3']);
  });

  it('asks again after the time that a busy server names', async () => {
    const { queue, calls, problems } = server();
    queue.now(request('a'));
    calls[0]!.fail(new Problem('busy', 'full', 7));
    await vi.advanceTimersByTimeAsync(6999);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toHaveLength(2);
    expect(problems).toEqual(['busy']);
  });

  it('does not repeat a request that the server refused', async () => {
    const { queue, calls, problems } = server();
    queue.now(request('a'));
    calls[0]!.fail(new Problem('refused', 'no'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
    expect(problems).toEqual(['refused']);
  });
});

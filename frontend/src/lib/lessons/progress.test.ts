import { beforeEach, expect, it, vi } from 'vitest';
import { keepProgress, readProgress, rememberVisit, wasHere } from './progress';

beforeEach(() => localStorage.clear());

it('keeps how far a reader has come, lesson by lesson', () => {
  keepProgress('one', { step: 2, done: [true, true] });
  keepProgress('two', { step: 0, done: [] });
  expect(readProgress()).toEqual({ one: { step: 2, done: [true, true] }, two: { step: 0, done: [] } });
});

it.each([
  'null',
  '[',
  '{"one": 3}',
  '{"one": {"step": -1, "done": []}}',
  '{"one": {"step": 1, "done": [1]}}',
  '"x"',
])('takes what it cannot read for none: %s', (text) => {
  localStorage.setItem('gradflow.lessons', text);
  expect(readProgress()).toEqual({});
});

it('remembers a visit', () => {
  expect(wasHere()).toBe(false);
  rememberVisit();
  expect(wasHere()).toBe(true);
});

it('shows nobody around who cannot be remembered', () => {
  const forbidden = vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new Error('forbidden');
  });
  expect(wasHere()).toBe(true);
  expect(readProgress()).toEqual({});
  forbidden.mockRestore();
});

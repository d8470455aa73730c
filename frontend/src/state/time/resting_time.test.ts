import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RestingTime } from './resting_time.svelte';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('follows single moves at once', () => {
  const resting = new RestingTime();
  for (const time of [10, 20, 30]) {
    resting.move(time);
    expect(resting.now).toBe(time);
    vi.advanceTimersByTime(200);
  }
});

it('follows a playhead that is dragged when it rests', () => {
  const resting = new RestingTime();
  for (let time = 1; time <= 20; time += 1) {
    resting.move(time);
    vi.advanceTimersByTime(16);
  }
  expect(resting.now).toBe(1);
  vi.advanceTimersByTime(120);
  expect(resting.now).toBe(20);
});

it('waits on a machine that draws ten frames a second, too', () => {
  const resting = new RestingTime();
  for (let time = 1; time <= 20; time += 1) {
    resting.move(time);
    vi.advanceTimersByTime(100);
  }
  expect(resting.now).toBe(2);
});

it('is where it is set to, whatever was to come', () => {
  const resting = new RestingTime();
  for (const time of [1, 2, 3, 4]) resting.move(time);
  resting.set(7);
  vi.advanceTimersByTime(500);
  expect(resting.now).toBe(7);
});

it('tells ten times a second where a dragged playhead is, and at last where it rests', () => {
  const resting = new RestingTime();
  const told = new Set<number>();
  for (let time = 1; time <= 60; time += 1) {
    resting.move(time);
    told.add(resting.told);
    vi.advanceTimersByTime(16);
  }
  expect(told.size).toBeGreaterThanOrEqual(9);
  expect(told.size).toBeLessThanOrEqual(11);
  vi.advanceTimersByTime(120);
  expect(resting.told).toBe(60);
});

it('tells every step to a beat, however fast the steps follow', () => {
  const resting = new RestingTime();
  for (let time = 1; time <= 20; time += 1) {
    resting.step(time);
    expect(resting.told).toBe(time);
    vi.advanceTimersByTime(5);
  }
});

it('tells at once that the playhead is taken, and follows it when it rests', () => {
  const resting = new RestingTime();
  resting.drag(30);
  expect([resting.told, resting.now]).toEqual([30, 0]);
  vi.advanceTimersByTime(16);
  resting.drag(40);
  expect([resting.told, resting.now]).toEqual([30, 0]);
  vi.advanceTimersByTime(120);
  expect([resting.told, resting.now]).toEqual([40, 40]);
});

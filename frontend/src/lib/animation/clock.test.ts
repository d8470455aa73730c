import { expect, it } from 'vitest';
import { createClock, type Ticker } from './clock';

class Hand implements Ticker {
  private callback: ((now: number) => void) | null = null;
  request(callback: (now: number) => void): number {
    this.callback = callback;
    return 1;
  }
  cancel(): void {
    this.callback = null;
  }
  move(now: number): void {
    this.callback?.(now);
  }
}

it('tells the time between pictures and stops when told', () => {
  const hand = new Hand();
  const elapsed: number[] = [];
  const clock = createClock((ms) => elapsed.push(ms) < 4, hand);
  clock.start();
  for (const now of [1000, 1016, 1040]) hand.move(now);
  expect(elapsed).toEqual([0, 16, 24]);
  expect(clock.running).toBe(true);
  hand.move(9000);
  expect(elapsed.at(-1)).toBe(100);
  expect(clock.running).toBe(false);
});

it('begins anew after a pause', () => {
  const hand = new Hand();
  const elapsed: number[] = [];
  const clock = createClock((ms) => elapsed.push(ms) > 0, hand);
  clock.start();
  hand.move(10);
  clock.stop();
  hand.move(500);
  clock.start();
  hand.move(900);
  hand.move(910);
  expect(elapsed).toEqual([0, 0, 10]);
});

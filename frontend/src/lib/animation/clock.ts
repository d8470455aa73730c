/** A clock that runs with the display. */
export interface Clock {
  readonly running: boolean;
  start(): void;
  stop(): void;
}

/** Calls of the browser that a clock needs; tests give their own. */
export interface Ticker {
  request(callback: (now: number) => void): number;
  cancel(handle: number): void;
}

/** Longest time that one picture may count: after a pause of the tab the animation goes on where it stood. */
const LONGEST_TICK = 100;

const display: Ticker = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (handle) => cancelAnimationFrame(handle),
};

/** `advance` is called once a picture with the milliseconds since the last one; the clock stops when it returns false. */
export function createClock(advance: (elapsed: number) => boolean, ticker: Ticker = display): Clock {
  let handle: number | null = null;
  let last: number | null = null;

  function tick(now: number): void {
    const elapsed = last === null ? 0 : Math.min(LONGEST_TICK, now - last);
    last = now;
    handle = ticker.request(tick);
    if (!advance(elapsed)) stop();
  }
  function start(): void {
    if (handle !== null) return;
    last = null;
    handle = ticker.request(tick);
  }
  function stop(): void {
    if (handle !== null) ticker.cancel(handle);
    handle = null;
  }
  return {
    get running() {
      return handle !== null;
    },
    start,
    stop,
  };
}

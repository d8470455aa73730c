import { describe, expect, it, vi } from 'vitest';

/** The module as a page finds it that has just been opened. */
async function fresh() {
  vi.resetModules();
  return import('./first_paint');
}

/** Lets all that is due happen, and `ms` more. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe('what the first picture does not need', () => {
  it('is loaded once the picture has been painted', async () => {
    vi.useFakeTimers();
    const { afterFirstPaint, markFirstPaint } = await fresh();
    const load = vi.fn(async () => 'editor');
    const loaded = afterFirstPaint(load);
    await pass(100);
    expect(load).not.toHaveBeenCalled();
    markFirstPaint();
    await pass(40);
    expect(await loaded).toBe('editor');
  });

  it('is loaded at once when the reader asks for it', async () => {
    vi.useFakeTimers();
    const { afterFirstPaint, skipWaiting } = await fresh();
    const loaded = afterFirstPaint(async () => 'editor');
    skipWaiting();
    expect(await loaded).toBe('editor');
  });

  it('is loaded even where there is no picture', async () => {
    vi.useFakeTimers();
    const { afterFirstPaint } = await fresh();
    const load = vi.fn(async () => 'editor');
    const loaded = afterFirstPaint(load);
    await pass(1600);
    expect(await loaded).toBe('editor');
  });
});

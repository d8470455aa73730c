import { describe, expect, it, vi } from 'vitest';
import { afterPaint } from './after_paint';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('afterPaint', () => {
  it('waits for a picture', async () => {
    const task = vi.fn();
    afterPaint(task);
    requestAnimationFrame(() => expect(task).not.toHaveBeenCalled());
    await vi.waitFor(() => expect(task).toHaveBeenCalledOnce());
  });

  it('can be called off before the picture and after it', async () => {
    const task = vi.fn();
    afterPaint(task)();
    const cancel = afterPaint(task);
    requestAnimationFrame(cancel);
    await pause(100);
    expect(task).not.toHaveBeenCalled();
  });
});

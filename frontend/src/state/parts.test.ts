import { expect, it, vi } from 'vitest';
import { parts } from './parts.svelte';

it('says that a part has not come, until one comes', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  let failed = 0;
  const none = await parts.ask(
    () => Promise.reject(new TypeError('offline')),
    () => (failed += 1),
  );
  expect([none, failed, parts.missing]).toEqual([null, 1, true]);
  expect(await parts.ask(() => Promise.resolve('part'))).toBe('part');
  expect(parts.missing).toBe(false);
});

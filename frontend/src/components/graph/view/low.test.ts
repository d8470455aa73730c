import { expect, it } from 'vitest';
import { isLow, roomForMap } from './viewpoint.svelte';

it('gives the height of an enlarged page to the picture', () => {
  const low = { width: 720, height: 250 };
  expect(isLow(low)).toBe(true);
  expect(roomForMap(low, 20).height).toBe(0);
  expect(roomForMap({ width: 720, height: 460 }, 20).height).toBeGreaterThan(0);
  expect(isLow({ width: 390, height: 250 })).toBe(false);
});

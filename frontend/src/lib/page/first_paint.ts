/** If no picture comes at all, what waits for it begins after this many milliseconds. */
const LATEST = 1500;

let release = (): void => {};
const painted = new Promise<void>((resolve) => (release = resolve));
let timer: ReturnType<typeof setTimeout> | undefined;

/** To be called when the first picture is in the document: once it has been painted, all that waits begins. */
export function markFirstPaint(): void {
  requestAnimationFrame(() => setTimeout(release));
}

/** Loads what the first picture does not need, so that it does not have to wait for it. */
export async function afterFirstPaint<Module>(load: () => Promise<Module>): Promise<Module> {
  if (import.meta.env.SSR) return new Promise(() => {});
  timer ??= setTimeout(release, LATEST);
  await painted;
  return load();
}

/** What the reader asks for is loaded without further waiting. */
export function skipWaiting(): void {
  release();
}

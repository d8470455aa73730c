/** How far a reader has come in a lesson. It stays in this browser. */
export interface Progress {
  /** The step at hand, from 0. */
  step: number;
  /** The steps that are done. */
  done: boolean[];
}

const KEY = 'gradflow.lessons';
const VISITED = 'gradflow.visited';

function isProgress(given: unknown): given is Progress {
  if (typeof given !== 'object' || given === null) return false;
  const { step, done } = given as Partial<Progress>;
  const isCount = typeof step === 'number' && Number.isInteger(step) && step >= 0;
  return isCount && Array.isArray(done) && done.every((each) => typeof each === 'boolean');
}

/** Progress by the id of the lesson. What cannot be read counts as none. */
export function readProgress(): Record<string, Progress> {
  try {
    const given: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof given !== 'object' || given === null) return {};
    return Object.fromEntries(Object.entries(given).filter(([, each]) => isProgress(each)));
  } catch {
    return {};
  }
}

export function keepProgress(id: string, progress: Progress): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...readProgress(), [id]: progress }));
  } catch {
    return; // Storage may be forbidden or full: the lesson goes on.
  }
}

/** Whether the reader has been here before, as far as the browser tells. */
export function wasHere(): boolean {
  try {
    return localStorage.getItem(VISITED) !== null;
  } catch {
    return true; // What cannot be remembered would come again and again.
  }
}

export function rememberVisit(): void {
  try {
    localStorage.setItem(VISITED, '1');
  } catch {
    return;
  }
}

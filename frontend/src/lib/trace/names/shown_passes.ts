import type { Trace } from '../../../api/types';
import { passNumber } from '../names';

/** How many turns or passes of a run are shown, of how many. `every`: they are so many apart, the last one aside. */
export interface ShownPart {
  shown: number;
  of: number;
  every: number | null;
}

/** The part of numbers that are shown. */
export function partOf(numbers: readonly number[], of: number): ShownPart {
  const steps = numbers.slice(1).map((number, k) => number - numbers[k]!);
  const [first] = steps;
  const last = steps.at(-1) ?? 0;
  const isEven = first !== undefined && first > 1 && steps.slice(0, -1).every((step) => step === first);
  const isWhole = isEven && last <= first && of - (numbers.at(-1) ?? 0) < first;
  return { shown: numbers.length, of, every: isWhole ? first : null };
}

/** The passes of a trace among those that the program ran. */
export function shownPasses(trace: Trace): ShownPart {
  const numbers = trace.passes.map((_, k) => passNumber(trace, k));
  const others = ((trace as Partial<Trace>).left_out ?? []).map(({ pass_id: id }) => ({ id }));
  const missing = others.map((_, k) => passNumber({ passes: others as Trace['passes'] }, k));
  // A pass that was recorded within another has no turn of its own.
  const of = missing.length > 0 ? Math.max(...numbers, ...missing) : numbers.length;
  return partOf(numbers, Math.max(of, numbers.length));
}

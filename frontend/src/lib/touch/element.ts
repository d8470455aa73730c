import type { ArrayElement, Pass, Trace, Value } from '../../api/types';

/** Which array of a tensor: its value, the gradient of a pass, or what a leaf keeps in `.grad`. */
export type ArrayKind = 'value' | 'gradient' | 'grad';

/** One element on the page. */
export interface ElementRef {
  tensor: string;
  of: ArrayKind;
  /** The flat index, row-major. */
  k: number;
}

/** The array that an element belongs to, as the run has it: of `.grad` what the pass leaves there. */
export function arrayOf(trace: Trace, pass: Pass | null, { tensor, of }: ElementRef): Value | null {
  if (of === 'value') return trace.tensors.find(({ id }) => id === tensor)?.value ?? null;
  if (of === 'gradient') return pass?.gradients[tensor] ?? null;
  return pass?.accumulations.findLast((sum) => sum.tensor === tensor)?.after ?? null;
}

/** The number of an element; null where the trace does not have it. */
export function elementOf(trace: Trace, pass: Pass | null, ref: ElementRef): ArrayElement | null {
  return arrayOf(trace, pass, ref)?.data?.[ref.k] ?? null;
}

/** A cell that takes part, and by which coefficient. */
export interface Light extends ElementRef {
  weight: number;
  /** It stands in the sum itself. */
  near: boolean;
}

/** A name of its own for each element. */
export function keyOf({ tensor, of, k }: ElementRef): string {
  return `${tensor} ${of} ${k}`;
}

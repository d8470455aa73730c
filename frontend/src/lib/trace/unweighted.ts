import type { ErrorRecord } from '../../api/types';

/** Why a pass has no weights to start from: none were given, or as many as do not fit. */
export type Unweighted = 'none' | 'shape';

const CODES: Record<string, Unweighted> = { 'nonscalar-backward': 'none', 'gradient-shape': 'shape' };

/** What an error says of the weights of an output; null where it is about something else. */
export function unweightedBy(error: ErrorRecord | null): Unweighted | null {
  return (error && CODES[error.code]) ?? null;
}

/** Whether a tensor is the output whose weights are missing. */
export function isUnweighted(error: ErrorRecord | null, tensor: string): boolean {
  return error?.tensor === tensor && unweightedBy(error) !== null;
}

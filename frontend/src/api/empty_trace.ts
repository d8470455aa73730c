import type { Trace } from './types';

/** The run of no program. */
export const EMPTY: Trace = {
  source: '',
  stdout: '',
  error: null,
  warnings: [],
  tensors: [],
  nodes: [],
  edges: [],
  passes: [],
  places: [],
  events: [],
  rules: {},
  budget: { bytes: null, summarised: 0, turns_left_out: 0 },
  left_out: [],
  local_jacobians: {},
  shown: [],
  notes: [],
  schema: 2,
};

/** A program that did not even begin leaves nothing to draw. */
export function isRefused(trace: Trace): boolean {
  return trace.error !== null && trace.tensors.length === 0;
}

import type { Trace, TraceRequest } from '../../api/types';
import { toNested, type Edits } from './gradient_edit';
import { wantsJacobian } from './jacobian_draft';

/** The run of a program with the gradients that the reader gave for the passes of its last run. */
export function requestFor(last: Trace, source: string, edits: Edits): TraceRequest {
  // The number of a pass is its place in the trace, but where passes were left out before it.
  const numberOf = (k: string) => last.passes[Number(k)]?.id.slice(1) ?? k;
  const given = Object.entries(edits).map(([k, edit]) => [numberOf(k), toNested(edit)] as const);
  // The server takes `gradients` for the program's own passes, and `gradient` where it has none.
  const hasOwnPass = last.passes.some((pass) => pass.span !== null);
  return {
    source,
    ...(given.length > 0 ? { gradients: Object.fromEntries(given) } : {}),
    ...(edits['0'] && !hasOwnPass ? { gradient: toNested(edits['0']) } : {}),
    jacobian: wantsJacobian(last),
  };
}

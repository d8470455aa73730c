import type { Trace } from '../../api/types';

/** Which pass of the run the `k`th of a trace is, from 1: of a long run some are left out. */
export function passNumber({ passes }: Pick<Trace, 'passes'>, k: number): number {
  return Number(passes[k]?.id.slice(1) ?? k) + 1;
}

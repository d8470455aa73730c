import type { Trace } from '../../api/types';

/** What a page that is one file plays. */
export interface OfflineRun {
  trace: Trace;
  /** Where it begins, as in the playground's address; null where the run itself says. */
  step: number | null;
  /** `en` or `zh`; null for the reader's own. */
  language: string | null;
  /** `light` or `dark`; null for the reader's own. */
  theme: string | null;
  /** The same in a playground; null where none is known. */
  link: string | null;
}

/** Where the run stands in the file. */
export const RUN_PLACE = '<!--run-->';

/** What the view or the run can be taken away as, in the order of the menu. */
export const formats = [
  { group: 'view', items: ['svg', 'png', 'print'] },
  { group: 'pass', items: ['gif', 'webm'] },
  { group: 'run', items: ['html', 'markdown', 'json'] },
  { group: 'graph', items: ['pdf', 'dot'] },
] as const satisfies { group: string; items: readonly string[] }[];

export type Format = (typeof formats)[number]['items'][number];

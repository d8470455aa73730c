/** The keys as the table of shortcuts shows them. */
export const keysEn = {
  space: 'Space',
  arrows: '← →',
  home: 'Home',
  end: 'End',
  turns: 'PageUp PageDown',
  acts: '[ ]',
  slash: '/',
  lens: 'L',
  isolate: 'I',
  pick: 'E',
  elements: 'Shift ← ↑ → ↓ D',
  predict: 'P',
  question: '?',
  escape: 'Esc, Tab',
  cells: '← ↑ → ↓',
  complete: 'Ctrl Space',
};

export const keysZh: typeof keysEn = { ...keysEn, space: '空格', complete: 'Ctrl 空格' };

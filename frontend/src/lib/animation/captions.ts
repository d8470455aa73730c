/** Words at a place on the ruler. */
export interface Caption {
  left: number;
  width: number;
}

/** Captions are measured by their letters, Latin and Chinese, which is enough to keep them apart. */
const LETTER = { latin: 6.4, chinese: 12.2 };

/** About how many pixels a text of 12 px takes; its marks for code and lead words take none. */
export function textWidth(text: string): number {
  const plain = text.replaceAll('`', '').replaceAll('**', '');
  const chinese = plain.match(/[\u3000-\uffff]/g)?.length ?? 0;
  return chinese * LETTER.chinese + (plain.length - chinese) * LETTER.latin;
}

function isFree(each: Caption, kept: readonly Caption[], gap: number): boolean {
  return kept.every(
    ({ left, width }) => each.left + each.width + gap <= left || left + width + gap <= each.left,
  );
}

/** The captions that can be read: the first one in any case, and of the others those that leave room for each other. */
export function readable<Each extends Caption>(captions: readonly Each[], gap: number): Each[] {
  const kept: Each[] = [];
  for (const each of captions) if (isFree(each, kept, gap)) kept.push(each);
  return kept;
}

/** How far a caption may be moved, in the order in which places are tried. */
const SHIFTS = [0, 6, -6, 12, -12, 18, -18, 26, -26, 34, -34];

/** Like `readable`, but a caption moves aside a little before it is left out; all stay between `from` and `upTo`. */
export function spread<Each extends Caption>(
  captions: readonly Each[],
  gap: number,
  from: number,
  upTo: number,
): Each[] {
  const kept: Each[] = [];
  for (const each of captions) {
    const places = SHIFTS.map((shift) => Math.max(from, Math.min(upTo - each.width, each.left + shift)));
    const left = places.find((place) => isFree({ left: place, width: each.width }, kept, gap));
    if (left !== undefined && each.width <= upTo - from) kept.push({ ...each, left });
  }
  return kept;
}

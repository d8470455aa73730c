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

/** Words that may move aside, no further than `reach`. */
export interface Movable extends Caption {
  reach: number;
}

const STRIDE = 6;

/** The places of a caption in the order in which they are tried: the nearer, the earlier. */
function placesOf({ left, width, reach }: Movable, from: number, upTo: number): number[] {
  const strides = Array.from({ length: Math.floor(reach / STRIDE) }, (_, k) => (k + 1) * STRIDE);
  const within = (place: number) => Math.max(from, Math.min(upTo - width, place));
  return [0, ...strides.flatMap((stride) => [stride, -stride])].map((shift) => within(left + shift));
}

/** Like `readable`, but a caption moves aside before it is left out; all stay between `from` and `upTo`. */
export function spread<Each extends Movable>(
  captions: readonly Each[],
  gap: number,
  from: number,
  upTo: number,
): Each[] {
  const kept: Each[] = [];
  for (const each of captions) {
    if (each.width > upTo - from) continue;
    const left = placesOf(each, from, upTo).find((place) =>
      isFree({ left: place, width: each.width }, kept, gap),
    );
    if (left !== undefined) kept.push({ ...each, left });
  }
  return kept;
}

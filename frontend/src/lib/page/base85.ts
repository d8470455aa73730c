/** Five letters of these say four bytes: a sixteenth shorter than base64. Python's `base64.b85encode` has `&<>` for `,.:`. */
export const LETTERS =
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;.=:?@^_`{|}~';

/** Text that HTML holds as it is, whatever the bytes are. */
export function encode85(bytes: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  const words = Array.from({ length: padded.length / 4 }, (_, k) => {
    let [word, letters] = [view.getUint32(4 * k), ''];
    for (let each = 0; each < 5; each += 1) {
      letters = (LETTERS[word % 85] ?? '') + letters;
      word = Math.floor(word / 85);
    }
    return letters;
  });
  return words.join('').slice(0, Math.ceil((bytes.length * 5) / 4));
}

/** The bytes that `encode85` was given. It stands alone: the page that is one file has it in its own text. */
export function decode85(text: string, letters: string): Uint8Array<ArrayBuffer> {
  const digits = new Map([...letters].map((letter, digit) => [letter, digit]));
  const view = new DataView(new ArrayBuffer(Math.ceil(text.length / 5) * 4));
  for (let k = 0; 5 * k < text.length; k += 1) {
    let word = 0;
    for (let each = 5 * k; each < 5 * k + 5; each += 1)
      word = word * 85 + (digits.get(text.charAt(each)) ?? 84);
    view.setUint32(4 * k, word);
  }
  return new Uint8Array(view.buffer, 0, Math.floor((text.length * 4) / 5));
}

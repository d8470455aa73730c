import { LETTERS, decode85, encode85 } from './base85';

/**
 * Anything that JSON can say, in one file with the page, as text. The same numbers stand in a run many times (what one function
 * gives the next one takes), and most are of 32 bits: a list of them is written once, as bytes, and the JSON says which it is.
 * So a run is a fourteenth as long as its JSON. `backend/packed.py` writes the same.
 *
 * base85 of gzip of: the length of the JSON in bytes (32 bits), the JSON, the numbers (the first byte of each, then
 * the second of each, ...: bytes of one kind stand together, which gzip makes shorter). The low bytes come first everywhere.
 */

/** The key of what stands in place of a list: `{ KEY: [where it begins, how many] }`. No name in a program is like it. */
const KEY = 'float32[]';

/** A shorter list is shorter as JSON. */
const FEWEST = 4;

const BYTES = 4;

class Numbers {
  readonly all: number[] = [];
  private readonly begun = new Map<string, number>();

  /** What stands in place of `value`. */
  replaced(value: unknown): unknown {
    if (!Array.isArray(value) || value.length < FEWEST) return value;
    const numbers = value as unknown[];
    if (!numbers.every((each): each is number => typeof each === 'number' && Math.fround(each) === each))
      return value;
    // By their bits: zero has two signs.
    const bits = new Uint32Array(Float32Array.from(numbers).buffer).join();
    const start = this.begun.get(bits) ?? this.all.length;
    if (start === this.all.length) this.all.push(...numbers);
    this.begun.set(bits, start);
    return { [KEY]: [start, numbers.length] };
  }
}

/** The bytes of `numbers` by their place in a number, or the numbers of such bytes. */
function byPlace(bytes: Uint8Array, isPacked: boolean): Uint8Array {
  const count = bytes.length / BYTES;
  const turned = new Uint8Array(bytes.length);
  for (let each = 0; each < count; each += 1)
    for (let place = 0; place < BYTES; place += 1) {
      const [together, apart] = [place * count + each, each * BYTES + place];
      if (isPacked) turned[apart] = bytes[together] ?? 0;
      else turned[together] = bytes[apart] ?? 0;
    }
  return turned;
}

async function through(
  stream: CompressionStream | DecompressionStream,
  ...parts: BlobPart[]
): Promise<Uint8Array> {
  const turned = new Blob(parts).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(turned).arrayBuffer());
}

export async function pack(content: unknown): Promise<string> {
  const numbers = new Numbers();
  const json = new TextEncoder().encode(
    JSON.stringify(content, (_, value: unknown) => numbers.replaced(value)),
  );
  const values = byPlace(new Uint8Array(Float32Array.from(numbers.all).buffer), false);
  const length = Uint32Array.of(json.length);
  const bytes = await through(new CompressionStream('gzip'), length, json, values as Uint8Array<ArrayBuffer>);
  return encode85(bytes);
}

/** What `pack`, or `gradflow.show` in Python, has packed. */
export async function unpack<Content>(text: string): Promise<Content> {
  const bytes = await through(new DecompressionStream('gzip'), decode85(text, LETTERS));
  const begin = Uint32Array.BYTES_PER_ELEMENT;
  const end = begin + new DataView(bytes.buffer).getUint32(0, true);
  const values = new Float32Array(byPlace(bytes.subarray(end), true).buffer);
  const original = (_: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !(KEY in value)) return value;
    const [start = 0, count = 0] = value[KEY] as number[];
    return Array.from(values.subarray(start, start + count));
  };
  return JSON.parse(new TextDecoder().decode(bytes.subarray(begin, end)), original) as Content;
}

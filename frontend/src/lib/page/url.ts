import type { GradientEdit } from '../gradient/gradient_edit';

/**
 * The page's state as a URL fragment. `properties` is the one table: what is not there is not in the URL, and a
 * fragment that someone else wrote can set nothing but these, each within its own grammar.
 */
export interface PageState {
  example: string | null;
  code: string | null;
  gradients: Record<string, GradientEdit>;
  step: number | null;
  view: View;
  language: string | null;
  lesson: string | null;
}

export const views = ['graph', 'jacobian', 'scalar'] as const;
export type View = (typeof views)[number];

interface Property<T> {
  key: string;
  write(value: T): Promise<string | null> | string | null;
  read(text: string): Promise<T> | T;
}

const MAX_SOURCE = 65536;
const MAX_ELEMENTS = 4096;

class Malformed extends Error {}

function refuse(): never {
  throw new Malformed();
}

const word = /^[a-z0-9_-]{1,64}$/i;

const properties: { [K in keyof PageState]: Property<PageState[K]> } = {
  example: { key: 'example', write: (id) => id, read: (text) => (word.test(text) ? text : refuse()) },
  code: { key: 'code', write: (code) => (code === null ? null : packSource(code)), read: unpackSource },
  gradients: { key: 'gradient', write: writeGradients, read: readGradients },
  step: {
    key: 'step',
    write: (step) => (step === null ? null : String(Math.floor(step * 100) / 100)),
    read: readStep,
  },
  view: {
    key: 'view',
    write: (view) => (view === 'graph' ? null : view),
    read: (text) => views.find((view) => view === text) ?? refuse(),
  },
  language: {
    key: 'lang',
    write: (language) => language,
    read: (text) => (word.test(text) ? text : refuse()),
  },
  lesson: { key: 'lesson', write: (id) => id, read: (text) => (word.test(text) ? text : refuse()) },
};

export const BLANK_STATE: PageState = {
  example: null,
  code: null,
  gradients: {},
  step: null,
  view: 'graph',
  language: null,
  lesson: null,
};

function readStep(text: string): number {
  const step = Number(text);
  return text !== '' && Number.isFinite(step) && step >= 0 ? step : refuse();
}

/** `0:2x3:1,1,1,0,0,0` for each pass, joined by `;`. */
function writeGradients(gradients: Record<string, GradientEdit>): string | null {
  const parts = Object.entries(gradients).map(
    ([pass, { shape, data }]) => `${pass}:${shape.join('x')}:${data.join(',')}`,
  );
  return parts.length ? parts.join(';') : null;
}

function readGradients(text: string): Record<string, GradientEdit> {
  return Object.fromEntries(text.split(';').map(readGradient));
}

function readGradient(part: string): [string, GradientEdit] {
  const [pass = '', sizes = '', cells = ''] = part.split(':');
  const shape = sizes === '' ? [] : sizes.split('x').map(Number);
  const data = cells === '' ? [] : cells.split(',').map(readCell);
  const fits = /^\d{1,4}$/.test(pass) && shape.every((size) => Number.isInteger(size) && size >= 0);
  const count = shape.reduce((product, size) => product * size, 1);
  return fits && count === data.length && count <= MAX_ELEMENTS ? [pass, { shape, data }] : refuse();
}

function readCell(text: string): number {
  const cell = Number(text);
  return text.trim() !== '' && !Number.isNaN(cell) ? cell : refuse();
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array> {
  const packed = new Blob([bytes])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
  return limited(packed.getReader());
}

/** Reads a stream to its end, but never past what a program may be long: a small link can unpack to gigabytes. */
async function limited(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
  const chunks: number[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (chunks.length + next.value.length > MAX_SOURCE) {
      await reader.cancel();
      refuse();
    }
    for (const byte of next.value) chunks.push(byte);
  }
  return Uint8Array.from(chunks);
}

/** A program as deflated base64url. */
export async function packSource(source: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(source), new CompressionStream('deflate-raw'));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The program that `packSource` packed. Raises for anything else. */
export async function unpackSource(text: string): Promise<string> {
  const raw = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(raw, (char) => char.charCodeAt(0));
  const source = await through(bytes, new DecompressionStream('deflate-raw'));
  return new TextDecoder('utf-8', { fatal: true }).decode(source);
}

/** The fragment for a state, without the `#`. */
export async function writeHash(state: PageState): Promise<string> {
  const written: string[] = [];
  for (const name of Object.keys(properties) as (keyof PageState)[]) {
    const { key, write } = properties[name] as Property<unknown>;
    const text = await write(state[name]);
    if (text !== null)
      written.push(
        `${key}=${encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%3B', ';')}`,
      );
  }
  return written.join('&');
}

/** The state of a fragment. Properties that cannot be read keep their defaults and make `whole` false. */
export async function readHash(hash: string): Promise<{ state: PageState; whole: boolean }> {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const state: PageState = { ...BLANK_STATE };
  let whole = true;
  for (const name of Object.keys(properties) as (keyof PageState)[]) {
    const { key, read } = properties[name] as Property<unknown>;
    const text = parts.get(key);
    if (text === null) continue;
    try {
      Object.assign(state, { [name]: await read(text) });
    } catch {
      whole = false;
    }
  }
  return { state, whole };
}

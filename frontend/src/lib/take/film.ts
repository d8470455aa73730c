import { drawMarks } from './canvas';
import { boundsOf, padded, union, type Box, type Mark } from './marks';
import { withLegend, type View } from './picture';

/** Pictures of a stretch of time, all of one size. */
export interface Film {
  frames: Mark[][];
  box: Box;
  /** Between two pictures, in milliseconds. */
  every: number;
}

export interface Take {
  from: number;
  to: number;
  /** Shows the moment and gives what is seen. */
  at: (time: number) => Promise<View>;
  /** From 0 to 1, as it goes. */
  told: (done: number) => void;
}

/** A film is not longer, in pictures: what takes more time is played faster. */
const MOST = 240;

/** The last picture stands for a while, in milliseconds. */
const REST = 1600;

/** Room around the picture, in pixels. */
const MARGIN = 20;

/** Lets the page breathe: what takes long is seen going on, and can be left. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export async function shoot({ from, to, at, told }: Take, every: number): Promise<Film> {
  const count = Math.max(2, Math.min(MOST, Math.round((to - from) / every) + 1));
  const views: View[] = [];
  let bounds: Box | null = null;
  for (let k = 0; k < count; k += 1) {
    const view = await at(from + ((to - from) * k) / (count - 1));
    bounds = union(bounds, boundsOf(view.picture));
    views.push(view);
    told((0.5 * (k + 1)) / count);
  }
  const frames = views.map((view) => withLegend(view, bounds));
  const all = frames.reduce<Box | null>((box, marks) => union(box, boundsOf(marks)), null);
  return { frames, box: padded(all ?? { x: 0, y: 0, width: 16, height: 16 }, MARGIN), every };
}

/** Pixels of one picture on a canvas that all share. */
function* paintings(film: Film, density: number): Generator<HTMLCanvasElement> {
  const canvas = document.createElement('canvas');
  for (const marks of film.frames) {
    drawMarks(canvas, marks, film.box, density);
    yield canvas;
  }
}

/** So many pictures share their colours in choosing the palette. */
const SAMPLES = 6;

/** An animated GIF that begins again by itself. */
export async function gifOf(film: Film, told: (done: number) => void): Promise<Blob> {
  const { GIFEncoder, applyPalette, quantize } = await import('gifenc');
  const encoder = GIFEncoder();
  const every = Math.max(1, Math.floor(film.frames.length / SAMPLES));
  const samples = film.frames.filter((_, k) => k % every === 0 || k === film.frames.length - 1);
  const colours = [...paintings({ ...film, frames: samples }, 0.5)].map(pixelsOf);
  const palette = quantize(joined(colours), 256);
  let k = 0;
  for (const canvas of paintings(film, 1)) {
    const last = k === film.frames.length - 1;
    const pixels = applyPalette(pixelsOf(canvas), palette);
    encoder.writeFrame(pixels, canvas.width, canvas.height, {
      ...(k === 0 ? { palette } : {}),
      delay: last ? REST : film.every,
    });
    k += 1;
    told(0.5 + (0.5 * k) / film.frames.length);
    await pause();
  }
  encoder.finish();
  return new Blob([encoder.bytes() as Uint8Array<ArrayBuffer>], { type: 'image/gif' });
}

function pixelsOf(canvas: HTMLCanvasElement): Uint8ClampedArray {
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  return context.getImageData(0, 0, canvas.width, canvas.height).data;
}

function joined(parts: Uint8ClampedArray[]): Uint8ClampedArray {
  const all = new Uint8ClampedArray(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Pixels across that a video has at most. */
const WIDEST = 1920;

/** Can this browser make a WebM? */
export function makesWebm(): boolean {
  return typeof VideoEncoder !== 'undefined';
}

/** A WebM video. Raises where the browser has no encoder for it. */
export async function webmOf(film: Film, told: (done: number) => void): Promise<Blob> {
  const { BufferTarget, CanvasSource, Output, QUALITY_HIGH, WebMOutputFormat } = await import('mediabunny');
  // Encoders want even numbers of pixels.
  const [width, height] = [film.box.width + (film.box.width % 2), film.box.height + (film.box.height % 2)];
  const even = { ...film, box: { ...film.box, width, height } };
  const density = 2 * width <= WIDEST ? 2 : 1;
  const canvas = document.createElement('canvas');
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  drawMarks(canvas, even.frames[0] ?? [], even.box, density);
  const source = new CanvasSource(canvas, { codec: 'vp8', bitrate: QUALITY_HIGH });
  output.addVideoTrack(source, { frameRate: 1000 / film.every });
  await output.start();
  for (let k = 0; k < even.frames.length; k += 1) {
    drawMarks(canvas, even.frames[k]!, even.box, density);
    const last = k === even.frames.length - 1;
    await source.add((k * film.every) / 1000, (last ? REST : film.every) / 1000);
    told(0.5 + (0.5 * (k + 1)) / even.frames.length);
    await pause();
  }
  await output.finalize();
  return new Blob([target.buffer ?? new ArrayBuffer(0)], { type: 'video/webm' });
}

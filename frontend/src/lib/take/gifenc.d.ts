/** The part of gifenc, which has no types of its own, that is used here. */
declare module 'gifenc' {
  export type Palette = number[][];
  export interface Frame {
    palette?: Palette;
    /** In milliseconds. */
    delay?: number;
  }
  export interface Encoder {
    writeFrame(pixels: Uint8Array, width: number, height: number, options?: Frame): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(pixels: Uint8ClampedArray, colours: number): Palette;
  export function applyPalette(pixels: Uint8ClampedArray, palette: Palette): Uint8Array;
}

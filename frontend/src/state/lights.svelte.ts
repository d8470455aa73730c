/** A cell that takes part in what the reader has picked. */
export interface CellLight {
  role: 'picked' | 'near' | 'far';
  /** Its coefficient. */
  label: string;
}

export type CellLights = ReadonlyMap<number, CellLight>;

/** The array of a tensor that lights up: its value, its gradient or its `.grad`. */
export function lightsKey(tensor: string, of: string): string {
  return `${tensor} ${of}`;
}

/** What lights up in the picture, and what the status line says of it; empty until something is picked. */
class Lights {
  now = $state.raw<ReadonlyMap<string, CellLights>>(new Map());
  said = $state('');

  of(tensor: string, array: string): CellLights | undefined {
    return this.now.size > 0 ? this.now.get(lightsKey(tensor, array)) : undefined;
  }

  clear(): void {
    if (this.now.size > 0) this.now = new Map();
    this.said = '';
  }
}

export const lights = new Lights();

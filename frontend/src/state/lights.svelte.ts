import { lightsKey, type CellLights, type LitArrays } from '../lib/touch/lights';

const NONE: LitArrays = new Map();

/** What lights up in the picture, and what the status line says of it; empty until something is picked. */
class Lights {
  now = $state.raw(NONE);
  said = $state('');

  of(tensor: string, array: string): CellLights | undefined {
    return this.now.size > 0 ? this.now.get(lightsKey(tensor, array)) : undefined;
  }

  clear(): void {
    this.now = NONE;
    this.said = '';
  }
}

export const lights = new Lights();

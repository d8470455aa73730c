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

/** What takes the numbers of places that are empty. */
export interface Fill {
  /** What a place is called. */
  label: (k: number) => string;
  give: (k: number, x: number) => void;
}

/** The gradient whose numbers the picture asks for, and who takes them; the picture itself knows no more. */
class Filling {
  private tensor = $state<string | null>(null);
  private fill = $state.raw<Fill | undefined>(undefined);

  ask(tensor: string, fill: Fill): void {
    this.tensor = tensor;
    this.fill = fill;
  }

  clear(): void {
    this.tensor = null;
  }

  of(tensor: string): Fill | undefined {
    return tensor === this.tensor ? this.fill : undefined;
  }
}

export const filling = new Filling();

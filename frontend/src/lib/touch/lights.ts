import type { ArrayElement } from '../../api/types';
import { formatBriefly, toNumber } from '../trace/values';
import type { ElementRef } from './element';

/** A cell that takes part in what the reader has picked. */
export interface CellLight {
  role: 'picked' | 'near' | 'far';
  /** Its coefficient. */
  label: string;
}

export type CellLights = ReadonlyMap<number, CellLight>;

/** The cells that light up, by the arrays that they are of. */
export type LitArrays = ReadonlyMap<string, CellLights>;

/** The array of a tensor that lights up: its value, its gradient or its `.grad`. */
export function lightsKey(tensor: string, of: string): string {
  return `${tensor} ${of}`;
}

/** Cells by their arrays; of one that is there twice the last counts. */
export function lightsOf(cells: readonly (ElementRef & CellLight)[]): LitArrays {
  const arrays = new Map<string, Map<number, CellLight>>();
  for (const { tensor, of, k, role, label } of cells) {
    const key = lightsKey(tensor, of);
    const array = arrays.get(key) ?? new Map<number, CellLight>();
    arrays.set(key, array.set(k, { role, label }));
  }
  return arrays;
}

/** What a one-hot pass has sent: from an element of the output a row of the Jacobian to the input. */
export function rowLights(root: string, k: number, input: string, row: readonly ArrayElement[]): LitArrays {
  const picked = { tensor: root, k, role: 'picked', label: '' } as const;
  const cells = row.map((x, at) => ({
    tensor: input,
    of: 'grad' as const,
    k: at,
    role: 'near' as const,
    label: formatBriefly(x),
    x: toNumber(x),
  }));
  return lightsOf([
    { ...picked, of: 'value' },
    { ...picked, of: 'gradient' },
    ...cells.filter(({ x }) => x !== 0),
  ]);
}

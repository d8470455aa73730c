import type { NodeRecord, Place, TensorRecord, Trace } from '../../api/types';
import type { Lookup } from '../trace/lookup';
import { oneLine } from '../trace/names';
import { formatShape } from '../trace/values';
import { symbolsOf } from './latex';
import { layerOf, parameterOf, turnerOf } from './layer';

/** The letters of a formula by the ids of its tensors, and of weights that were turned round the letter and a sign. */
export type Letters = ReadonlyMap<string, string>;

/** A line of the legend: letters, the tensors that they stand for, their shapes. */
export interface LegendLine {
  tex: string;
  names: string[];
  shapes: string[];
}

const places = new WeakMap<Trace, Map<string, number>>();

/** The turn of a loop in which something ran; empty outside of loops. */
function turnAround(byId: Map<string, Place>, place: string | null): string {
  for (let at = byId.get(place ?? ''); at; at = byId.get(at.parent ?? ''))
    if (at.kind === 'turn') return at.id;
  return '';
}

/** Tensors without a name, numbered along the chain within each turn; one that is alone gets no number. */
function chainPlaces(lookup: Lookup): Map<string, number> {
  const { trace } = lookup;
  const before = places.get(trace);
  if (before) return before;
  const byId = new Map(((trace as Partial<Trace>).places ?? []).map((place) => [place.id, place]));
  const chains = new Map<string, string[]>();
  for (const node of trace.nodes) {
    if (layerOf(lookup, node.id)) continue;
    for (const id of node.outputs) {
      const tensor = lookup.tensor(id);
      if (!tensor || tensor.names.length > 0) continue;
      const key = `${turnAround(byId, node.place)} ${node.pass_id ?? ''} ${tensor.symbol}`;
      const chain = chains.get(key);
      if (chain) chain.push(id);
      else chains.set(key, [id]);
    }
  }
  const found = new Map<string, number>();
  for (const chain of chains.values()) if (chain.length > 1) chain.forEach((id, k) => found.set(id, k + 1));
  places.set(trace, found);
  return found;
}

function withPlace(lookup: Lookup, tensor: TensorRecord): TensorRecord {
  const place = chainPlaces(lookup).get(tensor.id);
  return place === undefined || !/^[a-zA-Z]$/.test(tensor.symbol)
    ? tensor
    : { ...tensor, symbol: `${tensor.symbol}_{${place}}` };
}

/** The letters of all that a function reads and makes: the same in each of its rules. */
export function lettersOf(lookup: Lookup, { inputs, outputs }: NodeRecord): Letters {
  const ids = [...inputs, ...outputs];
  const own = ids.flatMap((id) => parameterOf(lookup, id) ?? []);
  const letters = symbolsOf(own.map((tensor) => withPlace(lookup, tensor)));
  for (const id of ids) {
    const letter = letters.get(parameterOf(lookup, id)?.id ?? '');
    if (letter !== undefined && turnerOf(lookup, id)) letters.set(id, letter);
  }
  return letters;
}

/** A tensor's name in full: the program's own, else its expression. */
export function fullName({ names, expression, id }: TensorRecord): string {
  return names[0] ?? (oneLine(expression) || id);
}

/** Which letter is which tensor, where the letter is not the tensor's own name. */
export function legendOf(lookup: Lookup, node: NodeRecord): LegendLine[] {
  const letters = lettersOf(lookup, node);
  const lines: (LegendLine & { module: string })[] = [];
  const seen = new Set<string>();
  for (const id of [...node.outputs, ...node.inputs]) {
    const tensor = parameterOf(lookup, id);
    const tex = letters.get(tensor?.id ?? '');
    if (!tensor || tex === undefined || seen.has(tensor.id) || tensor.names[0] === tex) continue;
    seen.add(tensor.id);
    const name = fullName(tensor);
    const module = tensor.is_leaf && name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '';
    const shape = formatShape(tensor.shape) || '1';
    const beside = module && lines.find((line) => line.module === module);
    if (beside) {
      beside.tex += `,\\,${tex}`;
      beside.names.push(name);
      beside.shapes.push(shape);
    } else lines.push({ tex, names: [name], shapes: [shape], module });
  }
  return lines;
}

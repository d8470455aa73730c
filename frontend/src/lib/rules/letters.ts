import type { NodeRecord, TensorRecord, Trace } from '../../api/types';
import type { Lookup } from '../trace/lookup';
import { codeName } from '../trace/short_code';
import { placesOf } from '../trace/places';
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

const chained = new WeakMap<Trace, Map<string, number>>();

/** Tensors without a name, numbered along the chain within each turn; one that is alone gets no number. */
function chainPlaces(lookup: Lookup): Map<string, number> {
  const { trace } = lookup;
  const before = chained.get(trace);
  if (before) return before;
  const places = placesOf(trace);
  const chains = new Map<string, string[]>();
  for (const node of trace.nodes) {
    if (layerOf(lookup, node.id)) continue;
    for (const id of node.outputs) {
      const tensor = lookup.tensor(id);
      if (!tensor || tensor.names.length > 0) continue;
      const key = `${places.turnsAround(node.place).at(-1)?.place ?? ''} ${node.pass_id ?? ''} ${tensor.symbol}`;
      const chain = chains.get(key);
      if (chain) chain.push(id);
      else chains.set(key, [id]);
    }
  }
  const found = new Map<string, number>();
  for (const chain of chains.values()) if (chain.length > 1) chain.forEach((id, k) => found.set(id, k + 1));
  chained.set(trace, found);
  return found;
}

const named = new WeakMap<Trace, Set<string>>();

/** The letters of tensors that the program names. */
function namedLetters({ trace }: Lookup): Set<string> {
  const before = named.get(trace);
  if (before) return before;
  const letters = new Set(trace.tensors.filter(({ names }) => names.length > 0).map(({ symbol }) => symbol));
  named.set(trace, letters);
  return letters;
}

/** Letters for tensors without a name, whose own letter is the name of another. */
const SPARE = ['c', 'z', 'q', 'r', 'k'];

function withPlace(lookup: Lookup, tensor: TensorRecord): TensorRecord {
  const place = chainPlaces(lookup).get(tensor.id);
  const taken = namedLetters(lookup);
  if (place === undefined && tensor.names.length === 0 && taken.has(tensor.symbol))
    return { ...tensor, symbol: SPARE.find((letter) => !taken.has(letter)) ?? tensor.symbol };
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
  return names[0] ?? (codeName(expression) || id);
}

/** The last part of a parameter's name, `weight` of `model.0.weight`. */
export function lastName(name: string): string {
  const [, word, places] = /(?:^|\.)([^\W\d]\w*)((?:\.\d+)*)$/.exec(/^[\w.]+$/.test(name) ? name : '') ?? [];
  return word === undefined ? name : word + (places ?? '').replace(/\.(\d+)/g, '[$1]');
}

/** A letter, or a word in italics, that is the tensor's own name needs no legend. */
function isOwnName(tex: string, { names }: TensorRecord): boolean {
  const plain = tex.replace(/\\(?:mathit|mathrm|text|operatorname)\{([^{}]*)\}/g, '$1').replace(/\\_/g, '_');
  return names[0] !== undefined && plain.replace(/_\{?(\w+)\}?$/, '$1') === names[0].replace(/_(\w+)$/, '$1');
}

/** Which letter is which tensor, where the letter is not the tensor's own name. */
export function legendOf(lookup: Lookup, node: NodeRecord): LegendLine[] {
  const letters = lettersOf(lookup, node);
  const lines: (LegendLine & { module: string })[] = [];
  const taken = new Set<string>();
  const seen = new Set<string>();
  for (const id of [...node.outputs, ...node.inputs]) {
    const tensor = parameterOf(lookup, id);
    const tex = letters.get(tensor?.id ?? '');
    if (!tensor || tex === undefined || seen.has(tensor.id) || isOwnName(tex, tensor)) continue;
    seen.add(tensor.id);
    const plain = lookup.fullName(tensor);
    const name = taken.has(plain) ? `${plain} · ${lookup.functionName(tensor.node)}` : plain;
    taken.add(plain);
    // words have lines of their own, which are long enough
    const stands = tensor.is_leaf && name.includes('.') && !tex.includes('\\mathit');
    const module = stands ? name.slice(0, name.lastIndexOf('.')) : '';
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

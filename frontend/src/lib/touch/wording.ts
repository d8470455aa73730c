import type { touchWords } from '../../i18n/touch';
import { indexText } from '../trace/names';
import type { Lookup } from '../trace/lookup';
import { formatElement, toElement } from '../trace/values';
import type { ElementRef } from './element';
import type { Picked } from './pick';

type Words = (typeof touchWords)['en'];

/** More products than this are not read out. */
const MOST_SAID = 12;

/** What an element is called: `a.grad[0, 1]`, `gradient of c[0]`, `x[1]`. */
export function elementName(lookup: Lookup, words: Words, { tensor, of, k }: ElementRef): string {
  const record = lookup.tensor(tensor);
  const name = `${record ? lookup.name(tensor) : tensor}${of === 'grad' ? '.grad' : ''}`;
  const at = `${name}${indexText(record?.shape ?? [], k)}`;
  return of === 'gradient' ? `${words.gradient} ${at}` : at;
}

/** A number of a sum: a negative one in brackets, but for the first. */
export function factor(x: number | null, first = false): string {
  if (x === null) return '?';
  const text = formatElement(toElement(x));
  return text.startsWith('-') && !first ? `(${text})` : text;
}

/** The sum of an element with its numbers: `1·4 + 1·5 + 1·6 = 15`. */
export function sumText(words: Words, picked: Picked): string {
  const { start, products, total } = picked;
  const terms = [
    ...(start ? [factor(start.value, true)] : []),
    ...products
      .slice(0, MOST_SAID)
      .map(({ value, weight }, k) => `${factor(value, k === 0 && !start)}·${factor(weight)}`),
  ];
  const rest = products.length - MOST_SAID;
  return `${terms.join(' + ')}${rest > 0 ? words.moreTerms(rest) : ''} = ${factor(total, true)}`;
}

/** What the status line says of an element. */
export function announcement(lookup: Lookup, words: Words, picked: Picked): string {
  const name = elementName(lookup, words, picked.ref);
  const value = picked.value === null ? null : formatElement(picked.value);
  const lead = words.picked(name);
  if (picked.kind === 'sum' || picked.kind === 'changed') {
    if (picked.products.length === 0 && !picked.start) return `${lead} = ${value ?? 0}. ${words.zero}`;
    const sum = `${lead} = ${sumText(words, picked)}`;
    return picked.kind === 'sum' ? sum : `${sum}. ${words.changed(factor(picked.total, true), value ?? '?')}`;
  }
  if (value === null) return `${lead}. ${picked.ref.of === 'value' ? words.noNumber : words.notYet}`;
  if (picked.kind === 'unknown') return `${lead} = ${value}. ${words.unknown}`;
  if (picked.kind === 'given')
    return `${lead} = ${value}. ${picked.ref.of === 'value' ? words.made : words.seed}`;
  const moves = picked.products
    .slice(0, MOST_SAID)
    .map(({ weight, cell }) => words.perCell(factor(weight, true), elementName(lookup, words, cell)));
  return `${lead} = ${value}. ${words.slopeSaid(name, moves.join(', '))}`;
}

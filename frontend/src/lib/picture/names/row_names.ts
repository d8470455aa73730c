import { groupBy } from '../../group_by';
import { shortName } from '../../trace/short_code';
import type { Card } from '../../graph/types';
import type { Gathered } from '../thumb';
import { briefNames } from './brief_names';

/** So many letters has a name in a row, and on the shelf of a folded module. */
const LETTERS = { row: 17, shelf: 15 };

/** How leaves are drawn that stand together: the size of their pictures, and how many letters their names have. */
export interface Gathering {
  thumb: Gathered;
  letters: number;
}

/** In fewer letters than this names are as brief as lets them be told apart. */
const BRIEF = 14;

/** From the roomiest on: of hundreds on a small screen the buckets and values are all that has room. */
export const GATHERINGS: readonly [Gathering, ...Gathering[]] = [
  { thumb: 'mini', letters: LETTERS.row },
  { thumb: 'tiny', letters: BRIEF },
  { thumb: 'slim', letters: BRIEF - 1 },
  { thumb: 'slim', letters: 10 },
  { thumb: 'slim', letters: 8 },
  { thumb: 'mini', letters: 0 },
];

/** What each tensor is called in a picture of rows, by its id: names that stand together are never shortened to the same. */
export function rowNames(cards: readonly Card[], gathered: number = LETTERS.row): Map<string, string> {
  const lettersOf = (card: Card) => (isTogether(card) ? gathered : LETTERS.shelf);
  const names = new Map(cards.map((card) => [card.id, rowName(card, lettersOf(card))]));
  const alone = cards.filter((card) => isBuffer(card));
  for (const alike of alikeIn(alone, names)) {
    const labels = [...new Set(alike.map(({ label }) => label))];
    const apart = labels.length > 1 ? tellApart(labels, LETTERS.row) : labels;
    for (const { id, label } of alike) {
      const found = apart[labels.indexOf(label)]!;
      if (found !== label) names.set(id, found);
    }
  }
  const together = cards.filter((card) => card.shelf !== null || isTogether(card));
  for (const shelf of groupBy(together, (card) => card.shelf).values()) {
    const letters = lettersOf(shelf[0]!);
    if (letters === 0) continue;
    const long = longNames(shelf, letters);
    const set = (cards: readonly Card[], found: readonly string[]) =>
      cards.forEach(({ id }, k) => names.set(id, found[k]!));
    const longOf = (cards: readonly Card[]) => cards.map(({ id }) => long.get(id)!);
    const short = longOf(shelf).map((name) => pathName(name, letters));
    set(shelf, short);
    if (letters >= BRIEF)
      for (const alike of alikeIn(shelf, names)) set(alike, tellApart(longOf(alike), letters));
    if (letters < BRIEF || alikeIn(shelf, names).length > 0) set(shelf, briefNames(longOf(shelf), letters));
  }
  return names;
}

/** Cards whose names are the same. */
function alikeIn(cards: readonly Card[], names: ReadonlyMap<string, string>): Card[][] {
  return [...groupBy(cards, ({ id }) => names.get(id)!).values()].filter(({ length }) => length > 1);
}

/** The name of a tensor in a row: a parameter's last part stands on the shelf of its module. */
export function rowName(card: Card, letters: number): string {
  if (card.shelf !== null || isTogether(card)) return letters > 0 ? pathName(longName(card), letters) : '';
  if (isBuffer(card)) return pathName(card.label, LETTERS.row);
  return card.maker && card.tensor.names.length === 0 ? '' : shortName(card.label, LETTERS.row);
}

/** Is it by itself, and named by its path in a model, as running statistics are? */
function isBuffer(card: Card): boolean {
  return card.shelf === null && !isTogether(card) && /^[^\W\d]\w*(\.\w+){2,}$/.test(card.label);
}

/** Is it one of the leaves that stand together above the picture? */
function isTogether({ gathered, maker }: Card): boolean {
  return gathered && maker === null;
}

/**
 * The names before they are shortened: where one has no room, leaves of one model that stand together, or on the shelf of a
 * function, are without its name.
 */
function longNames(shelf: readonly Card[], letters: number): Map<string, string> {
  const long = shelf.map(longName);
  const model = `${long[0]!.split('.')[0]}.`;
  const isCut = long.length > 1 && long.some(({ length }) => length > letters);
  const isShared = shelf.every(({ label }, k) => label === long[k] && label.startsWith(model));
  return new Map(shelf.map(({ id }, k) => [id, long[k]!.slice(isCut && isShared ? model.length : 0)]));
}

/** The name before it is shortened: beside a module, of which the shelf's id names the path, without that path. */
function longName({ label, shelf }: Card): string {
  if (shelf === null) return label;
  const path = `${shelf.slice(shelf.indexOf(':') + 1, shelf.lastIndexOf('#'))}.`;
  return label.startsWith(path) ? label.slice(path.length) : label;
}

/**
 * The path of a parameter without its middle. Of a long one the numbers stay, which tell layers apart, and as much of the end
 * as has room, whole parts where one has: `0…up.weight`.
 */
function pathName(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const parts = name.split('.');
  const tail = parts.map((_, k) => parts.slice(k).join('.')).find((each) => each.length < letters);
  if (letters > LETTERS.row && tail && tail.split('.').length > 2) return `…${tail}`;
  const numbers = parts.slice(0, -2).filter((part) => /^\d+$/.test(part));
  const first = parts.length > 2 && parts[0]!.length < letters / 2 ? parts[0]! : '';
  const start = numbers.length > 0 && numbers.length < 3 ? numbers.join('.') : first;
  const room = letters - 1 - start.length;
  const whole = [-3, -2, -1].map((from) => parts.slice(from).join('.'));
  const end = whole.find((each, k) => each.length <= room && !(k === 0 && /^\d/.test(each)));
  if (end === undefined) return `${start}…${name.slice(-room).replace(/^[^_.]{0,6}[_.]/, '')}`;
  const head = start === '' && parts.length > 1 ? beginningOf(parts, letters - 1 - end.length) : start;
  return `${head}…${end}`;
}

/** Names that would be shortened to the same keep the part in which they differ; whole they are where that is not enough. */
function tellApart(names: readonly string[], letters: number): string[] {
  const parts = names.map((name) => name.split('.'));
  const depth = Math.max(...parts.map(({ length }) => length));
  const differing = Array.from({ length: depth }, (_, k) => k).filter(
    (k) => new Set(parts.map((each) => each[k])).size > 1,
  );
  const shortened = parts.map((each) => withParts(each, differing, letters));
  return new Set(shortened).size === names.length ? shortened : [...names];
}

/** A path of which these parts stay, and its last: `…mean.weight`. */
function withParts(parts: readonly string[], kept: readonly number[], letters: number): string {
  const last = parts.length - 1;
  const shown = [...new Set([...kept.filter((k) => k < last), last])];
  const room = Math.max(
    3,
    Math.floor((letters - parts[last]!.length - shown.length) / (shown.length - 1 || 1)),
  );
  const text = shown
    .map((k, at) => {
      const part = k === last ? parts[k]! : endOf(parts[k]!, room);
      const isNext = k === (shown[at - 1] ?? -1) + 1;
      if (part.startsWith('…')) return part;
      return isNext ? (at === 0 ? part : `.${part}`) : `…${part}`;
    })
    .join('');
  return text.startsWith('…') ? beginningOf(parts, letters - text.length) + text : text;
}

/** The beginning of a path, where there is room for one that says something. */
function beginningOf([first = '']: readonly string[], letters: number): string {
  return letters >= Math.min(3, first.length) ? first.slice(0, letters) : '';
}

/** The end of a word, which tells more than its beginning: `…mean` of `linear_mean`. */
function endOf(word: string, letters: number): string {
  if (word.length <= letters) return word;
  return `…${word.slice(1 - letters).replace(/^[^_]{0,6}_/, '')}`;
}

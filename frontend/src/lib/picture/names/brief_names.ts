/** A word of a path, and what stands before it: `.`, `_`, or nothing. */
interface Word {
  text: string;
  before: string;
}

function wordsOf(name: string): Word[] {
  return [...name.matchAll(/([._]?)([^._]+|[._]+$)/g)].map(([, before = '', text = '']) => ({
    text,
    before,
  }));
}

/**
 * Paths in so few letters that they are still told apart: of each the words in which it differs from all others, and as many of
 * the rest as have room; where there is none, words are cut to what tells them apart: `0…qkv.w`. What no cut makes short
 * enough is longer.
 */
export function briefNames(names: readonly string[], letters: number): string[] {
  const shared = sharedLength(names);
  const paths = names.map((name) => wordsOf(name.slice(shared)));
  const kept = paths.map((path, k) => keptOf(path, paths.toSpliced(k, 1), letters));
  const textWith = (k: number, words: ReadonlySet<number>) =>
    cut(paths[k]!, words, paths.toSpliced(k, 1), letters);
  const brief = kept.map((words, k) => textWith(k, words));
  const isAlone = (name: string, all: readonly string[]) => all.indexOf(name) === all.lastIndexOf(name);
  // Words that stand at other places of longer paths: one more tells them apart.
  const more = brief.map((name, k) =>
    isAlone(name, brief) ? [] : paths[k]!.map((_, at) => textWith(k, new Set([...kept[k]!, at]))),
  );
  const all = [...brief, ...more.flatMap((each) => [...new Set(each)])];
  const told = brief.map((name, k) => {
    const apart = more[k]!.filter((each) => isAlone(each, all)).sort((one, two) => one.length - two.length);
    return isAlone(name, brief) ? name : (apart[0] ?? names[k]!);
  });
  return told.map((name, k) => (isAlone(name, told) ? name : names[k]!));
}

/** How long the parts are with which all paths begin: they tell none apart. */
function sharedLength(names: readonly string[]): number {
  const [first = ''] = names;
  const ends = [...first.matchAll(/\./g)].map(({ index }) => index + 1);
  return (
    ends.findLast((end) => names.length > 1 && names.every((name) => name.startsWith(first.slice(0, end)))) ??
    0
  );
}

/** The word of a path in the place of one of another: the last is in the place of the last. */
function inPlace(path: readonly Word[], k: number, of: readonly Word[]): string | undefined {
  return (k === of.length - 1 ? path.at(-1) : path[k])?.text;
}

/** Which words of a path tell it from the others, and which have room beside them. */
function keptOf(
  path: readonly Word[],
  others: readonly (readonly Word[])[],
  letters: number,
): ReadonlySet<number> {
  const differs = (k: number) => (other: readonly Word[]) => inPlace(other, k, path) !== path[k]!.text;
  const last = path.length - 1;
  const kept = new Set([last]);
  let alike = others.filter((other) => !differs(last)(other));
  while (alike.length > 0 && kept.size < path.length) {
    const left = path.map((_, k) => k).filter((k) => !kept.has(k));
    const told = (k: number) => alike.filter(differs(k)).length;
    // Of two that tell as much the later one, which says what the parameter is.
    const best = left.reduce((most, k) => (told(k) >= told(most) ? k : most));
    kept.add(best);
    alike = alike.filter((other) => !differs(best)(other));
  }
  const whole = (k: number) => path[k]!.text;
  for (let k = last - 1; k >= 0; k -= 1) {
    const more = new Set([...kept, k]);
    if (textOf(path, more, whole).length <= letters) kept.add(k);
  }
  return kept;
}

/** The words that are kept: an ellipsis stands for those between them, and before them. */
function textOf(path: readonly Word[], kept: ReadonlySet<number>, word: (k: number) => string): string {
  const shown = path.map((_, k) => k).filter((k) => kept.has(k));
  return shown
    .map((k, at) => {
      const isNext = k === (shown[at - 1] ?? -1) + 1;
      return (isNext ? path[k]!.before : at === 0 ? '' : '…') + word(k);
    })
    .join('');
}

/** The same in fewer letters: the last word, which is the same few in all models, then the longest are cut to the
    beginning that no other has in their place. */
function cut(
  path: readonly Word[],
  kept: ReadonlySet<number>,
  others: readonly (readonly Word[])[],
  letters: number,
): string {
  const short = new Map<number, string>();
  const word = (k: number) => short.get(k) ?? path[k]!.text;
  const last = path.length - 1;
  const length = (k: number) => (k === last ? Infinity : path[k]!.text.length);
  for (const k of [...kept].sort((a, b) => length(b) - length(a))) {
    if (textOf(path, kept, word).length <= letters) break;
    const beside = others.map((other) => inPlace(other, k, path)).filter((text) => text !== path[k]!.text);
    short.set(k, beginningOf(path[k]!.text, beside));
  }
  return textOf(path, kept, word);
}

function beginningOf(word: string, beside: readonly (string | undefined)[]): string {
  // A number without its end is another number.
  if (/\d$/.test(word)) return word;
  const length = Array.from(word, (_, k) => k + 1).find(
    (each) => !beside.some((other) => other?.startsWith(word.slice(0, each))),
  );
  return word.slice(0, length ?? word.length);
}

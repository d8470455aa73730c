import type { FormulaPart } from './formula';

/** An opening brace: its part, its place in the text, and where what it belongs to begins. */
interface Opening {
  part: number;
  at: number;
  from: number;
  instead: [string, string] | null;
}

/** What stands before a brace, and what says the same with plain brackets. */
const BRACKETED: [RegExp, string][] = [
  [/(?<![a-zA-Z\\])e\^$/, '\\exp('],
  [/\\sqrt$/, '\\surd('],
];

function opened(part: number, at: number, tex: string): Opening {
  const before = tex.slice(0, at);
  for (const [what, sign] of BRACKETED) {
    const from = before.search(what);
    if (from >= 0) return { part, at, from, instead: [sign, ')'] };
  }
  const isBare = !/(?:[\^_}]|\\[a-zA-Z]+)\s*$/.test(before);
  return { part, at, from: at, instead: isBare ? ['', ''] : null };
}

/**
 * The parts of a formula without the braces that hold an array: `{x}^{2}` is x and its exponent, a power of e is exp with
 * brackets. What cannot be said so keeps its braces.
 */
export function unbraced(parts: readonly FormulaPart[]): FormulaPart[] {
  const changes: { part: number; from: number; to: number; text: string }[] = [];
  const open: Opening[] = [];
  parts.forEach(({ kind, tex }, part) => {
    if (kind === 'array') return;
    for (const { index: at, 0: brace } of tex.matchAll(/(?<!\\)[{}]/g)) {
      if (brace === '{') open.push(opened(part, at, tex));
      else {
        const start = open.pop();
        const holdsArray = start && parts.slice(start.part, part).some((each) => each.kind === 'array');
        if (!start?.instead || !holdsArray) continue;
        const [left, right] = start.instead;
        changes.push({ part: start.part, from: start.from, to: start.at + 1, text: left });
        changes.push({ part, from: at, to: at + 1, text: right });
      }
    }
  });
  return parts.map((each, part) => {
    if (each.kind === 'array') return each;
    const own = changes.filter((change) => change.part === part).sort((a, b) => b.from - a.from);
    const tex = own.reduce(
      (text, { from, to, text: by }) => text.slice(0, from) + by + text.slice(to),
      each.tex,
    );
    return { ...each, tex };
  });
}

import type { FormulaPart } from './formula';
import { tidy } from './latex';
import { unbraced } from './unbraced';

/** Whether a piece of LaTeX stands on its own: its braces close, and it does not begin with a bare script. */
function balanced(tex: string): boolean {
  let depth = 0;
  for (const char of tex.replace(/\\[{}]/g, '')) {
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** `\left(` needs its `\right)` in the same piece, which arrays between them do not allow. */
function standalone(tex: string): string {
  const plain = tex.replace(/\\(left|right)\s*(?=[([\])|.]|\\[lr](?:floor|ceil|Vert)|\\[{}])/g, '').trim();
  return /^[\^_]/.test(plain) ? `{}${plain}` : plain;
}

/**
 * The tokens of a rule as parts to be drawn side by side: neighbouring LaTeX is joined. Null where some LaTeX does not
 * stand on its own, as in a fraction with arrays in it; then the rule is to be typeset as a whole.
 */
export function partsOf(tokens: readonly FormulaPart[]): FormulaPart[] | null {
  const parts: FormulaPart[] = [];
  for (const token of unbraced(tokens)) {
    const last = parts.at(-1);
    if (token.kind === 'tex' && last?.kind === 'tex') last.tex += token.tex;
    else parts.push({ ...token });
  }
  const ready = parts.map((part) =>
    part.kind === 'tex' ? { ...part, tex: standalone(tidy(part.tex)) } : part,
  );
  const good = ready.every((part) => part.kind !== 'tex' || balanced(part.tex));
  return good && ready.length > 0 ? ready.filter((part) => part.kind !== 'tex' || part.tex !== '') : null;
}

/** Lines with more parts than this would be read slower than the rule above them. */
const MOST_PARTS = 13;

/**
 * The right side of a rule with its arrays: as one line with all its signs and constants, or, where it is none (`isExact`
 * is false), only the arrays that it is computed from, each once, with commas between them.
 */
export function lineOf(tokens: readonly FormulaPart[]): { parts: FormulaPart[]; isExact: boolean } {
  const parts = partsOf(tokens);
  if (parts && parts.length <= MOST_PARTS)
    return {
      parts: parts.filter((part) => part.kind === 'array' || part.tex.trim() !== ''),
      isExact: true,
    };
  const arrays = tokens.filter((part) => part.kind === 'array');
  const each = arrays.filter(({ name }, k) => arrays.findIndex((other) => other.name === name) === k);
  return {
    parts: each.flatMap((array, k): FormulaPart[] => (k > 0 ? [{ kind: 'tex', tex: ',' }, array] : [array])),
    isExact: false,
  };
}

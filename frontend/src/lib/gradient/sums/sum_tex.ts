import { texNumber } from '../../rules/formula';
import { formatElement } from '../../trace/values';
import type { Factor, Term } from './element_sum';

/** Numbers times each other. A negative one stands in brackets, but for one that `leads`. */
function product(factors: readonly Factor[], leads: boolean): string {
  const written = factors.map(({ value }) => texNumber(formatElement(value)));
  const bracketed = written.map((text, k) =>
    text.startsWith('-') && (k > 0 || !leads) ? `(${text})` : text,
  );
  return bracketed.join('\\cdot ') || '1';
}

/** A term of a sum with its sign: `1\cdot 4`, `+(-2.5)\cdot 5`, `-3`. */
export function termTex({ negative, factors, divisors }: Term, first: boolean): string {
  const isFraction = divisors.length > 0;
  const top = product(factors, isFraction || (first && !negative));
  const written = isFraction ? `\\tfrac{${top}}{${product(divisors, true)}}` : top;
  return `${negative ? '-' : first ? '' : '+'}${written}`;
}

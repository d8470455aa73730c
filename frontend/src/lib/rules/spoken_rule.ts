import type { NodeRecord, Token } from '../../api/types';
import type { Lookup } from '../trace/lookup';
import { numel } from '../trace/values';

/** A rule's gradient: its tokens, and the same as nested lists. */
interface Gradient {
  tokens: Token[];
  expression: unknown[] | null;
}

/** The rule of a transposed operand as the rule of the operand itself: `(ȳᵀ x)ᵀ` loses its outer sign. */
export function uprightRule({ tokens, expression }: Gradient): Gradient {
  const turned = expression?.[0] === 'mT' ? (expression[1] as unknown[]) : expression && ['mT', expression];
  const [first, last] = [tokens[0], tokens.at(-1)];
  const isBracketed =
    first?.kind === 'tex' &&
    first.tex === '\\left(' &&
    last?.kind === 'tex' &&
    last.tex === '\\right)^{\\top}';
  if (isBracketed) return { tokens: tokens.slice(1, -1), expression: turned };
  const open: Token = { kind: 'tex', tex: '\\left(' };
  return { tokens: [open, ...tokens, { kind: 'tex', tex: '\\right)^{\\top}' }], expression: turned };
}

function isOperand(token: Token | undefined, name: string): boolean {
  return token?.kind === 'operand' && token.name === name;
}

/** Tokens without what an argument that was not given leaves behind: `(t + 1 − t) ⊙` is a factor of one. */
export function plainTokens(tokens: readonly Token[]): Token[] {
  const plain: Token[] = [];
  for (let k = 0; k < tokens.length; k += 1) {
    const [open, first, middle, second, close] = tokens.slice(k, k + 5);
    if (
      open?.kind === 'tex' &&
      open.tex.endsWith('\\left(') &&
      first?.kind === 'operand' &&
      middle?.kind === 'tex' &&
      middle.tex === '+1-' &&
      isOperand(second, first.name) &&
      close?.kind === 'tex' &&
      close.tex.startsWith('\\right) \\odot ')
    ) {
      plain.push({ kind: 'tex', tex: open.tex.slice(0, -'\\left('.length) });
      plain.push({ kind: 'tex', tex: close.tex.slice('\\right) \\odot '.length) });
      k += 4;
    } else plain.push(tokens[k]!);
  }
  return plain.filter((token) => token.kind !== 'tex' || token.tex !== '');
}

/** A loss that is a mean: the factor with which each element counts. */
export function reducedBy(lookup: Lookup, node: NodeRecord | null): Token[] {
  if (node?.attributes['reduction'] !== 'mean' || lookup.tensor(node.outputs[0])?.shape.length !== 0)
    return [];
  if (!/^(binary_cross_entropy|mse_loss|l1_loss|smooth_l1|huber)/.test(node.op)) return [];
  const size = numel(lookup.tensor(node.inputs[0])?.shape ?? []);
  return size > 1 ? [{ kind: 'tex', tex: `\\tfrac{1}{${size}}\\,` }] : [];
}

/** The signs of products and quotients element by element, as plain ones after a number or before a last one. */
export function numberSigns(tex: string, before: boolean, after: boolean): string {
  if (tex === '\\,' && after) return ' \\cdot ';
  const begun = before ? tex.replace(/^\s*\\odot /, ' \\cdot ') : tex;
  return after ? begun.replace(/\\odot $/, '\\cdot ').replace(/\\oslash $/, '/\\, ') : begun;
}

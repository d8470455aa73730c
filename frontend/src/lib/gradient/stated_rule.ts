import type { GradInput, NodeRecord, OperandToken, Rule, Step, Token, Value } from '../../api/types';
import { valueAt } from '../trace/events';
import type { Lookup } from '../trace/lookup';
import { gradientOf, outputIndex, ruleOf, tensorNamed } from '../trace/rules';
import { numel, unravel } from '../trace/values';
import type { ArrayPart, FormulaPart } from '../rules/formula';
import { barred, closed, MATRIX_ELEMENTS, matrixTex, settingTex, tidy } from '../rules/latex';
import { turnerOf } from '../rules/layer';
import { lettersOf, type Letters } from '../rules/letters';
import { numberSigns, plainTokens, reducedBy, uprightRule } from '../rules/spoken_rule';

/** A rule with the symbols and the numbers of one step. */
export interface StatedRule {
  /** The left side, `\bar{a}`. */
  left: string;
  /** The whole rule in symbols, and with numbers; LaTeX. */
  formula: string;
  numbers: string;
  /** The right side, the arrays by themselves. */
  parts: FormulaPart[];
  /** The right side as nested lists, and the numbers among its names. */
  expression: unknown[] | null;
  settings: Map<string, number>;
}

/**
 * The rule by which a step computes a grad_input. That of a weight which was turned round for its layer is told for the
 * weight as the program knows it: `turned` is then its grad_input.
 */
export function statedRule(
  lookup: Lookup,
  step: Step,
  gradInput: GradInput,
  turned: GradInput | null = null,
): StatedRule {
  const node = lookup.node(step.node);
  const edge = lookup.edge(gradInput.edge);
  const rule = node && ruleOf(lookup.trace, node);
  const letters = node ? lettersOf(lookup, node) : null;
  const letter = letters?.get(edge?.tensor ?? '');
  const left = letter === undefined ? '' : barred(letter);
  const own = gradientOf(rule, edge);
  const { tokens, expression } = turned ? uprightRule(own) : own;
  const plain = [...reducedBy(lookup, node), ...plainTokens(tokens)];
  const parts = node && rule && letters ? new Speaker(lookup, rule, node, letters, step).parts(plain) : [];
  const { value } = turned ?? gradInput;
  const formula = `${left} = ${symbols(parts)}`;
  const small = value.data !== null && numel(value.shape) <= MATRIX_ELEMENTS;
  const numbers = small ? `${matrixTex(value)} = ${withNumbers(parts)}` : formula;
  return { left, formula, numbers, parts, expression, settings: node ? settingsOf(node) : new Map() };
}

/** What a function computes, in symbols. */
export function forwardRule(lookup: Lookup, node: NodeRecord): string {
  const rule = ruleOf(lookup.trace, node);
  const letters = lettersOf(lookup, node);
  const output = letters.get(node.outputs[0] ?? '');
  if (!rule || output === undefined) return '';
  return `${output} = ${symbols(new Speaker(lookup, rule, node, letters, null).parts(rule.forward))}`;
}

/** Says what the names of a rule stand for in one step; without one, when the function was called. */
class Speaker {
  constructor(
    private readonly lookup: Lookup,
    private readonly rule: Rule,
    private readonly node: NodeRecord,
    private readonly letters: Letters,
    private readonly step: Step | null,
  ) {}

  parts(tokens: readonly Token[]): FormulaPart[] {
    return tokens.map((token, k) => {
      if (token.kind !== 'tex') return this.operand(token);
      const before = this.isNumber(tokens[k - 1]);
      const after = k + 2 === tokens.length && this.isNumber(tokens[k + 1]);
      return { ...token, tex: numberSigns(token.tex, before, after) };
    });
  }

  private isNumber(token: Token | undefined): boolean {
    if (token?.kind !== 'operand') return false;
    if (token.role === 'setting') return typeof this.node.attributes[token.name] === 'number';
    return this.value(token)?.shape.length === 0;
  }

  private operand(token: OperandToken): FormulaPart {
    if (token.role === 'setting') return { kind: 'tex', tex: settingTex(this.node.attributes[token.name]) };
    const symbol = this.symbol(token);
    const tex = token.region ? `${symbol}_{W}` : symbol;
    const isTurned = turnerOf(this.lookup, tensorNamed(this.rule, this.node, token)) !== null;
    const drawn = token.transposed !== isTurned ? `{${tex}^{\\top}}` : tex;
    const value = this.value(token);
    if (!value) return { kind: 'tex', tex: drawn };
    const { name, role, transposed } = token;
    return {
      kind: 'array',
      name,
      tex: drawn,
      role,
      transposed,
      value: transposed ? turned(value) : value,
    };
  }

  private symbol(token: OperandToken): string {
    const letter = this.letters.get(tensorNamed(this.rule, this.node, token) ?? '') ?? '\\cdot';
    return closed(token.role === 'gradient' ? barred(letter) : letter);
  }

  private value(token: OperandToken): Value | null {
    const whole =
      token.role === 'gradient'
        ? this.step?.grad_outputs[outputIndex(this.rule, token.name)]
        : this.read(tensorNamed(this.rule, this.node, token));
    return (token.region && whole ? this.within(whole) : whole) ?? null;
  }

  /** The value of a tensor that the arithmetic used. */
  private read(id: string | null): Value | null {
    const tensor = this.lookup.tensor(id);
    const { read } = this.step ?? this.node;
    return tensor && valueAt(tensor, read[tensor.id] ?? 0);
  }

  private within(whole: Value): Value | null {
    const { region } = this.node;
    if (!region?.elements || !whole.data) return null;
    const { data } = whole;
    return { ...whole, shape: region.shape, data: region.elements.map((k) => data[k]!) };
  }
}

function settingsOf(node: NodeRecord): Map<string, number> {
  const found = Object.entries(node.attributes).filter(([, each]) => typeof each === 'number');
  return new Map(found as [string, number][]);
}

function symbols(parts: readonly FormulaPart[]): string {
  return tidy(parts.map(({ tex }) => tex).join(''));
}

function withNumbers(parts: readonly FormulaPart[]): string {
  return tidy(
    parts.map((part) => (part.kind === 'array' && isSmall(part) ? matrixTex(part.value) : part.tex)).join(''),
  );
}

function isSmall({ value }: ArrayPart): boolean {
  return value.data !== null && numel(value.shape) <= MATRIX_ELEMENTS;
}

/** An array with its last two dimensions swapped. */
function turned(value: Value): Value {
  if (value.shape.length < 2) return value;
  const shape = swapped(value.shape);
  if (value.data) return { ...value, shape, data: turnedData(value.shape, value.data) };
  if (!value.summary) return { ...value, shape };
  const { corner } = value.summary;
  const own = { shape: swapped(corner.shape), data: turnedData(corner.shape, corner.data) };
  return { ...value, shape, summary: { ...value.summary, corner: own } };
}

function swapped(of: readonly number[]): number[] {
  return [...of.slice(0, -2), of.at(-1)!, of.at(-2)!];
}

function turnedData<Element>(shape: number[], data: readonly Element[]): Element[] {
  const target = swapped(shape);
  const flat = (index: number[]) => shape.reduce((sum, size, axis) => sum * size + index[axis]!, 0);
  return data.map((_, k) => data[flat(swapped(unravel(k, target)))]!);
}

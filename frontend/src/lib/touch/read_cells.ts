import type { Pass, Step } from '../../api/types';
import { elementSum, operandsOf, termValue, type Term } from '../gradient/sums/element_sum';
import { statedRule } from '../gradient/stated_rule';
import type { Lookup } from '../trace/lookup';
import { ruleOf, tensorNamed } from '../trace/rules';
import { numel, toNumber, unravel } from '../trace/values';
import type { Light } from './element';
import type { Block, LocalMaps } from './local_maps';

/** Sums over more elements are not looked through. */
const MOST_EXPANDED = 256;

/**
 * The values that the coefficients of a gradient's element were read from, by the rule of the function. None where the rule
 * is no sum of products.
 */
export function readCells(
  lookup: Lookup,
  maps: LocalMaps,
  pass: Pass | null,
  block: Block,
  k: number,
): Light[] {
  const { node } = block;
  const step = pass?.steps.find((each) => each.node === node.id);
  const rule = ruleOf(lookup.trace, node);
  if (!step || !rule) return [];
  const { terms, roles } = termsAt(lookup, step, block.edge, k);
  return terms.flatMap((term) =>
    [...term.factors, ...term.divisors].flatMap(({ operand, index, value }) => {
      if (operand === null || index === null || roles.get(operand) !== 'value') return [];
      const tensor = tensorNamed(rule, node, {
        kind: 'operand',
        name: operand,
        role: 'value',
        transposed: false,
        region: false,
      });
      const weight = termValue(term) / toNumber(value);
      return tensor === null ? [] : asParameter(maps, { tensor, of: 'value', k: index, weight, near: true });
    }),
  );
}

/** The terms of the rule for an element of a gradient; of one that broadcasting was undone for, those of all that was added. */
export function termsAt(
  lookup: Lookup,
  step: Step,
  edge: string,
  k: number,
): { terms: Term[]; roles: Map<string, 'value' | 'gradient'> } {
  const gradInput = step.grad_inputs.find((sent) => sent.edge === edge);
  if (!gradInput) return { terms: [], roles: new Map() };
  const rule = statedRule(lookup, step, gradInput);
  const result = gradInput.expanded ?? gradInput.value;
  const roles = new Map(
    rule.parts.flatMap((part) => (part.kind === 'array' ? [[part.name, part.role] as const] : [])),
  );
  const { data } = result;
  if (!data || data.length > MOST_EXPANDED) return { terms: [], roles };
  const operands = operandsOf(rule.parts, rule.settings);
  const cells = gradInput.expanded ? addedAt(result.shape, gradInput.value.shape, k) : [k];
  const found = cells.map((cell) =>
    elementSum(rule.expression, operands, { shape: result.shape, data }, cell),
  );
  return { terms: found.some((terms) => terms === null) ? [] : found.flatMap((terms) => terms!), roles };
}

/** The elements of a broadcast array that are added up to one element of the array before. */
export function addedAt(whole: number[], shape: number[], k: number): number[] {
  const index = unravel(k, shape);
  const gap = whole.length - shape.length;
  return Array.from({ length: numel(whole) }, (_, cell) => cell).filter((cell) => {
    const at = unravel(cell, whole);
    return shape.every((size, axis) => size === 1 || at[axis + gap] === index[axis]);
  });
}

/** A cell of a weight that was turned round for its layer is one of the weight. */
function asParameter(maps: LocalMaps, light: Light): Light[] {
  const [turn, ...others] = maps.of(light.tensor, 'into');
  const isTurn = turn && others.length === 0 && turn.node.op === 't';
  const [entry] = isTurn ? (turn.byRow.get(light.k) ?? []) : [];
  return turn && entry ? [light, { ...light, tensor: turn.input, k: entry.column }] : [light];
}

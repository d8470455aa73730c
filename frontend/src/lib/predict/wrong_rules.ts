import type { Step } from '../../api/types';
import { elementBy, operandsOf } from '../gradient/sums/element_sum';
import { statedRule } from '../gradient/stated_rule';
import type { Lookup } from '../trace/lookup';

type Tree = readonly unknown[];

/**
 * What the rule of a function gives for an element when it is misread: with one operand that is not transposed, or with a
 * product element by element in place of a matrix product. None where the misread rule does not fit the shapes.
 */
export function wrongly(
  lookup: Lookup,
  step: Step,
  edge: string,
  k: number,
  kind: 'untransposed' | 'elementwise',
): number[] {
  const gradInput = step.grad_inputs.find((sent) => sent.edge === edge);
  if (!gradInput || gradInput.expanded) return [];
  const { expression, parts, settings } = statedRule(lookup, step, gradInput);
  if (!expression) return [];
  const operands = operandsOf(parts, settings);
  return misread(expression, kind).flatMap((tree) => {
    const number = elementBy(tree, operands, gradInput.value.shape, k);
    return number === null || !Number.isFinite(number) ? [] : [number];
  });
}

function isTree(part: unknown): part is Tree {
  return Array.isArray(part);
}

/** A tree with one of its nodes read wrongly, in every way. */
function misread(tree: Tree, kind: 'untransposed' | 'elementwise'): Tree[] {
  const [op, ...parts] = tree;
  const own: Tree[] =
    kind === 'untransposed' && op === 'mT' && isTree(parts[0])
      ? [parts[0]]
      : kind === 'elementwise' && op === '@'
        ? [['*', ...parts]]
        : [];
  const inner = parts.flatMap((part, at) =>
    isTree(part) ? misread(part, kind).map((changed) => [op, ...parts.with(at, changed)]) : [],
  );
  return [...own, ...inner];
}

import katex from 'katex';
import { describe, expect, it } from 'vitest';
import type { NodeRecord, Rule, Trace, Value } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import rules from '../../fixtures/rules.json';
import { product } from '../../test/samples';
import { Sketch } from '../../test/sketch';
import { Lookup } from '../trace/lookup';
import { partsOf } from '../rules/line';
import { forwardRule, statedRule } from './stated_rule';

const recorded = fixture as unknown as Trace;

interface Stated {
  op: string;
  attributes: NodeRecord['attributes'];
  rule: Rule;
}

/** A trace with one function of this rule, and a step of it that gives a gradient to each input. */
function traceOf({ op, attributes, rule }: Stated): Trace {
  const sketch = new Sketch();
  const inputs = rule.inputs.map((_, k) => sketch.leaf(`x${k}`, [2, 2]));
  const out = sketch.apply(op, inputs, { name: 'y', shape: [2, 2] }, { attributes });
  const others = rule.outputs.slice(1).map((name) => sketch.leaf(name, [2, 2]).id);
  const letters = ['x', 'W_{\\text{in}}', "\\mathit{long\\_name}'", 'a^{(4)}', 'w.\\text{grad}'];
  inputs.forEach((_, k) => (sketch.tensors[k]!.symbol = letters[k % letters.length]!));
  sketch.nodes[0]!.kind = 'function';
  sketch.nodes[0]!.outputs = [out.id, ...others];
  sketch.nodes[0]!.region = { shape: [2], elements: [0, 3] };
  const pass = sketch.backward(out);
  for (const step of pass.steps) step.grad_outputs = rule.outputs.map(() => sketch.value([2, 2]));
  return sketch.trace({ rules: { r0: rule } });
}

function row(...data: number[]): Value {
  return { shape: [data.length], dtype: 'float32', data, summary: null };
}

function bracketed(cells: string): string {
  return `\\begin{bmatrix} ${cells} \\end{bmatrix}`;
}

function texts(trace: Trace): string[] {
  const lookup = new Lookup(trace);
  const steps = trace.passes[0]!.steps;
  const stated = steps.flatMap((step) => step.grad_inputs.map((each) => statedRule(lookup, step, each)));
  const parts = stated.flatMap((each) => partsOf(each.parts) ?? []);
  return [
    forwardRule(lookup, trace.nodes[0]!),
    ...stated.flatMap(({ formula, numbers }) => [formula, numbers]),
    ...parts.map(({ tex }) => tex),
  ];
}

describe('every rule of every operation', () => {
  const all = rules as unknown as Stated[];

  it('is typeset without an error', () => {
    const failed = all.flatMap((stated) =>
      texts(traceOf(stated)).flatMap((tex) => {
        try {
          katex.renderToString(tex, { throwOnError: true, strict: 'error' });
          return [];
        } catch (error) {
          return [`${stated.op}: ${tex}: ${String(error)}`];
        }
      }),
    );
    expect(failed).toEqual([]);
    expect(all.length).toBeGreaterThan(600);
  });

  it('names nothing that is not there', () => {
    const wrong = all.filter((stated) =>
      texts(traceOf(stated)).some((tex) => /None|undefined|\[object/.test(tex)),
    );
    expect(wrong.map(({ op }) => op)).toEqual([]);
  });
});

describe('a rule with the names and numbers of a run', () => {
  const lookup = new Lookup(recorded);
  const step = recorded.passes[0]!.steps[0]!;
  const byName = new Map(recorded.tensors.map((tensor) => [tensor.names[0], tensor.id]));
  const of = (name: string) => {
    const edge = recorded.edges.find(({ tensor, input }) => tensor === byName.get(name) && input !== null);
    return statedRule(
      lookup,
      step,
      step.grad_inputs.find((each) => each.edge === edge?.id)!,
    );
  };

  it('is written with the program’s names', () => {
    expect(forwardRule(lookup, recorded.nodes[0]!)).toBe('c = a\\,b');
    expect(of('a').formula).toBe('\\bar{a} = \\bar{c}\\,{b^{\\top}}');
    expect(of('b').formula).toBe('\\bar{b} = {a^{\\top}}\\,\\bar{c}');
  });

  it('is written with numbers, operands transposed where they are', () => {
    const upstream = '\\begin{bmatrix} 1 & 1 & 1 \\\\ 1 & 1 & 1 \\end{bmatrix}';
    const turned = '\\begin{bmatrix} 1 & 4 \\\\ 2 & 5 \\\\ 3 & 6 \\end{bmatrix}';
    expect(of('a').numbers).toBe(
      `\\begin{bmatrix} 6 & 15 \\\\ 6 & 15 \\end{bmatrix} = ${upstream}\\,${turned}`,
    );
  });

  it('has empty sides where the trace has no rule', () => {
    const trace = product();
    const bare = new Lookup(trace);
    const first = trace.passes[0]!.steps[0]!;
    expect(statedRule(bare, first, first.grad_inputs[0]!).parts).toEqual([]);
    expect(forwardRule(bare, trace.nodes[0]!)).toBe('');
  });

  it('shows the written region of an array', () => {
    const rule: Rule = {
      inputs: ['input'],
      outputs: ['out'],
      forward: [],
      gradients: {
        input: [{ kind: 'operand', name: 'g', role: 'gradient', transposed: false, region: true }],
      },
      expressions: {},
    };
    const trace = traceOf({ op: 'mul', attributes: {}, rule });
    const first = trace.passes[0]!.steps[0]!;
    const whole = first.grad_outputs[0]!.data!;
    const part = statedRule(new Lookup(trace), first, first.grad_inputs[0]!).parts[0]!;
    expect(part.kind === 'array' && part.value.data).toEqual([whole[0], whole[3]]);
    expect(part.tex).toBe('\\bar{y}_{W}');
  });

  it('tells tensors with the same letter apart by primes, in all rules of a function alike', () => {
    const tensors = recorded.tensors.map((tensor) => ({ ...tensor, symbol: 'h' }));
    const alike = new Lookup({ ...recorded, tensors });
    expect(forwardRule(alike, recorded.nodes[0]!)).toBe("h'' = h\\,h'");
    const formulas = step.grad_inputs.map((each) => statedRule(alike, step, each).formula);
    expect(formulas.toSorted()).toEqual([
      "\\bar{h} = \\bar{h}''\\,{h'^{\\top}}",
      "\\bar{h}' = {h^{\\top}}\\,\\bar{h}''",
    ]);
  });
});

describe('a rule of a tensor that was written', () => {
  const { rule } = (rules as unknown as Stated[]).find(({ op }) => op === 'pow_scalar')!;

  /** `y = x ** 2`, a write into `x.data`, and `y.backward()`. */
  function written(): Sketch {
    const sketch = new Sketch({ told: true });
    const x = sketch.leaf('x', [3]);
    sketch.tensors[0]!.value = row(1, 2, 3);
    const y = sketch.apply('pow_scalar', [x], { name: 'y' }, { attributes: { exponent: 2 } });
    sketch.write(x, 'data', 'x.data[0] = 100');
    sketch.tensors[0]!.versions[1]!.value = row(100, 2, 3);
    sketch.tensors[0]!.value = row(100, 2, 3);
    const [step] = sketch.backward(y).steps;
    step!.grad_outputs = [row(1, 1, 1)];
    step!.grad_inputs[0]!.value = row(200, 4, 6);
    return sketch;
  }

  function numbersOf(sketch: Sketch, read: Record<string, number>): string {
    const trace = sketch.trace({ rules: { r0: rule } });
    const step = { ...trace.passes[0]!.steps[0]!, read };
    return statedRule(new Lookup(trace), step, step.grad_inputs[0]!).numbers;
  }

  const formula = (operand: string) =>
    `${bracketed('200 & 4 & 6')} = ${bracketed('1 & 1 & 1')} \\odot 2\\,{${operand}}`;

  it('has the values that the backward step read', () => {
    expect(numbersOf(written(), { t0: 1 })).toBe(formula(bracketed('100 & 2 & 3')));
  });

  it('has the first values where the step names no others', () => {
    expect(numbersOf(written(), {})).toBe(formula(bracketed('1 & 2 & 3')));
  });

  it('finds a version by its number, and has the letter of one that was left out', () => {
    const sketch = written();
    const [x] = sketch.tensors;
    const [first, second] = x!.versions;
    x!.versions = [first!, { ...second!, version: 7 }];
    expect(numbersOf(sketch, { t0: 7 })).toBe(formula(bracketed('100 & 2 & 3')));
    expect(numbersOf(sketch, { t0: 1 })).toBe(formula('x'));
  });
});

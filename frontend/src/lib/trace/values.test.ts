import { describe, expect, it } from 'vitest';
import type { Trace, Value } from '../../api/types';
import { product } from '../../test/samples';
import {
  arrangeBlocks,
  formatElement,
  formatElementExactly,
  heat,
  isOutside,
  largestMagnitude,
  maxima,
  norm,
  scaleEnd,
  ticks,
  unravel,
  withCommas,
} from './values';

function array(shape: number[], data: (number | string | boolean)[]): Value {
  return { shape, dtype: 'float32', data, summary: null };
}

describe('withCommas', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [12288, '12,288'],
    [1234567, '1,234,567'],
  ])('%s is %s', (count, text) => expect(withCommas(count)).toBe(text));
});

describe('formatElement', () => {
  it.each([
    [6, '6'],
    [15, '15'],
    [-0, '-0'],
    [4.5, '4.5'],
    [0.03, '0.03'],
    [1 / 3, '0.3333'],
    [0.1 + 0.2, '0.3'],
    [123.456, '123.5'],
    [-2.71828, '-2.718'],
    [0.00001, '1e-05'],
    [0.000123456, '1.23e-04'],
    [12345678, '1.23e+07'],
    [99999, '99999'],
    ['NaN', 'nan'],
    ['Infinity', 'inf'],
    ['-Infinity', '-inf'],
    [true, 'True'],
    [false, 'False'],
  ])('%s is %s', (element, text) => expect(formatElement(element)).toBe(text));

  it('never loses the sign, and never says zero of what is not zero', () => {
    for (let exponent = -30; exponent <= 30; exponent += 1)
      for (const mantissa of [1, 1.5, -2.345, -9.9996]) {
        const x = mantissa * 10 ** exponent;
        expect(Math.sign(Number(formatElement(x)))).toBe(Math.sign(x));
        expect(formatElement(x).length).toBeLessThanOrEqual(9);
        expect(Math.abs(Number(formatElement(x)) / x - 1)).toBeLessThan(0.05);
      }
  });

  it('keeps all digits where they are asked for', () => {
    expect(formatElementExactly(1 / 3)).toBe('0.3333333333333333');
    expect(formatElementExactly(Math.fround(2.4))).toBe('2.4');
    expect(formatElementExactly(-0.31601276993751526)).toBe('-0.31601277');
    expect(formatElementExactly(Math.fround(0.1), 'float64')).toBe('0.10000000149011612');
    expect(formatElementExactly(123456792)).toBe('123456792');
    expect(formatElementExactly('NaN')).toBe('nan');
  });
});

describe('heat', () => {
  it('is the signed root of the part of the largest', () => {
    expect(heat(1, 4)).toBe(0.5);
    expect(heat(-4, 4)).toBe(-1);
    expect(heat(0, 4)).toBe(0);
    expect(heat(3, 0)).toBe(0);
  });
  it('has no place for what is not finite', () => {
    expect(heat('NaN', 4)).toBeNaN();
    expect(heat('Infinity', 4)).toBeNaN();
  });
  it('stays within the scale while the scale is frozen', () => expect(heat(100, 4)).toBe(1));
});

describe('arrangeBlocks', () => {
  it('draws a scalar as one cell and a vector as a row', () => {
    expect(arrangeBlocks(array([], [5]))).toMatchObject({ rows: 1, cols: 1, cut: false });
    expect(arrangeBlocks(array([3], [1, 2, 3]))).toMatchObject({ rows: 1, cols: 3 });
  });
  it('stacks leading dimensions', () => {
    const { rows, cols, blocks } = arrangeBlocks(
      array(
        [2, 1, 2, 3],
        Array.from({ length: 12 }, (_, k) => k),
      ),
    );
    expect([rows, cols]).toEqual([2, 3]);
    expect(blocks).toEqual([
      { index: [0, 0], offset: 0 },
      { index: [1, 0], offset: 6 },
    ]);
  });
  it('shows the corner of what was summarised', () => {
    const summary = {
      min: -1,
      max: 3,
      mean: 0,
      norm: 9,
      nan: 0,
      inf: 0,
      corner: { shape: [2, 2], data: [1, 2, 3, 4] },
      histogram: [],
    };
    const value: Value = { shape: [100, 100], dtype: 'float32', data: null, summary };
    expect(arrangeBlocks(value)).toMatchObject({ rows: 2, cols: 2, cut: true, data: [1, 2, 3, 4] });
    expect(largestMagnitude(value)).toBe(3);
    expect(norm(value)).toBe(9);
  });
});

it('finds the index of an element', () => {
  expect(unravel(5, [2, 3])).toEqual([1, 2]);
  expect(unravel(0, [])).toEqual([]);
});

it('takes the largest over the whole trace, values and gradients apart', () => {
  const trace = product();
  const { value, gradient } = maxima(trace);
  expect(value).toBe(Math.max(...trace.tensors.map((tensor) => largestMagnitude(tensor.value))));
  const gradInputs = trace.passes[0]!.steps[0]!.grad_inputs.map((gradInput) =>
    largestMagnitude(gradInput.value),
  );
  expect(gradient).toBe(Math.max(largestMagnitude(trace.passes[0]!.gradient), ...gradInputs));
});

describe('the end of the scale of gradients', () => {
  const accumulation = (after: Value) => ({ ...product().passes[0]!.accumulations[0]!, after });
  /** A pass from a scalar of 1 through another of 1, and what its arrays and leaves receive. */
  function lossOf(arrays: Record<string, Value>, received: Value[]): Trace {
    const trace = product();
    const pass = trace.passes[0]!;
    const seed = array([], [1]);
    pass.roots = [{ ...pass.roots[0]!, tensor: 'loss', gradient: seed }];
    pass.gradients = { loss: seed, half: seed, ...arrays };
    pass.steps = [];
    pass.accumulations = received.map(accumulation);
    return { ...trace, passes: [pass] };
  }

  it('is that of the arrays: the 1 that a loss and its terms receive has no say', () => {
    expect(maxima(lossOf({ h: array([2], [0.02, -0.05]) }, [array([2], [0.1, 0.04])])).gradient).toBe(0.1);
  });
  it('counts the `.grad` of a leaf that is one number', () => {
    expect(maxima(lossOf({ h: array([2], [0.02, -0.05]) }, [array([], [-3])])).gradient).toBe(3);
  });
  it('is that of the numbers where there are no arrays, the first apart', () => {
    expect(maxima(lossOf({ a: array([], [0.5]) }, [array([], [0.25])])).gradient).toBe(1);
    expect(maxima(lossOf({ a: array([], [4]) }, [array([], [0.25])])).gradient).toBe(4);
  });
  it('leaves outside the one number that is larger', () => {
    expect(isOutside(1, 1, 0.1)).toBe(true);
    expect(isOutside(-1, 1, 0.1)).toBe(true);
    expect(isOutside(0.05, 1, 0.1)).toBe(false);
    expect(isOutside(1, 2, 0.1)).toBe(false);
    expect(isOutside('nan', 1, 0.1)).toBe(false);
    expect(isOutside(undefined, 1, 0.1)).toBe(false);
  });
});

describe('scaleEnd', () => {
  const weights = Array.from({ length: 20 }, (_, k) => 0.1 + k / 10);

  it('is the largest of a few, however they differ', () => {
    expect(scaleEnd([])).toBe(0);
    expect(scaleEnd([0, 0.001, 1e9])).toBe(1e9);
  });

  it('is not stretched by what is out of proportion to many', () => {
    expect(scaleEnd([...weights, 1e9, 13600])).toBe(2);
    expect(scaleEnd([...weights, 15, 1e9])).toBe(15);
  });

  it('does not count arrays of zeros', () => {
    expect(scaleEnd([...weights, ...Array<number>(40).fill(0)])).toBe(2);
  });
});

it('marks the scale where its colours are', () => {
  expect(ticks(33, true)).toEqual(['≤−33', '−8', '0', '8', '≥33']);
  expect(ticks(33)).toEqual(['−33', '−8', '0', '8', '33']);
  expect(ticks(15)).toEqual(['−15', '−4', '0', '4', '15']);
  expect(ticks(3.71e12)).toEqual(['−3.7e12', '−9.3e11', '0', '9.3e11', '3.7e12']);
  expect(ticks(0.2571)).toEqual(['−0.26', '−0.064', '0', '0.064', '0.26']);
  expect(ticks(0.5)).toEqual(['−0.5', '−0.13', '0', '0.13', '0.5']);
});

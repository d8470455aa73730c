import { describe, expect, it } from 'vitest';
import type { Trace } from '../../api/types';
import fixture from '../../fixtures/matrix_product.json';
import {
  argumentText,
  draggedValue,
  hotCell,
  neighbourCell,
  parseCell,
  presetGradient,
  presetOf,
  toNested,
  validEdits,
} from './gradient_edit';

const trace = fixture as unknown as Trace;

describe('the gradient argument', () => {
  it('travels as nested lists', () => {
    expect(toNested({ shape: [2, 3], data: [1, 2, 3, 4, 5, 6] })).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(toNested({ shape: [], data: [NaN] })).toBe('NaN');
    expect(toNested({ shape: [2, 0], data: [] })).toEqual([[], []]);
  });

  it.each([
    ['1', 1],
    [' -2.50 ', -2.5],
    ['−3', -3],
    ['1e-3', 0.001],
    ['.5', 0.5],
    ['1/4', 0.25],
    ['inf', Infinity],
    ['-Infinity', -Infinity],
  ])('reads %s', (text, expected) => expect(parseCell(text)).toBe(expected));

  it.each(['', '-', 'x', '1,2', '1/0', '0x10', '1 2', '1/'])('refuses %j', (text) =>
    expect(parseCell(text)).toBeNull(),
  );

  it('knows its presets again', () => {
    const own = [9, 12, 15];
    for (const preset of ['ones', 'zeros', 'oneHot', 'itself'] as const)
      expect(presetOf(presetGradient(preset, 3, { cell: 1, own })!, own)).toBe(preset);
    expect(presetOf([1, 2, 3], own)).toBeNull();
    expect(
      [
        [0, 1, 0],
        [1, 1],
        [0, 2],
        [0, 0],
      ].map(hotCell),
    ).toEqual([1, null, null, null]);
  });

  it('draws random cells with two digits', () => {
    const cells = presetGradient('random', 4, { cell: 0, own: null, random: () => 0.3 })!;
    expect(cells).toHaveLength(4);
    for (const cell of cells) expect(Math.round(cell * 100) / 100).toBe(cell);
  });

  it('is dragged in round steps of its own size', () => {
    expect(draggedValue(1, 4)).toBe(1.1);
    expect(draggedValue(1, -44)).toBe(-0.1);
    expect(draggedValue(250, 8)).toBe(270);
    expect(draggedValue(0, 0)).toBe(0);
  });

  it('moves between cells without leaving the grid', () => {
    expect(neighbourCell(1, 'ArrowDown', 3, 6)).toBe(4);
    expect(neighbourCell(4, 'ArrowDown', 3, 6)).toBe(4);
    expect(neighbourCell(0, 'ArrowLeft', 3, 6)).toBe(0);
  });

  it('drops edits that no longer fit the program', () => {
    const edit = { shape: [2, 3], data: [0, 0, 0, 0, 0, 0] };
    expect(argumentText(trace, 0)).toBe('torch.ones_like(c)');
    expect(validEdits({ 0: edit }, trace, { 0: 'torch.ones_like(c)' })).toEqual({ 0: edit });
    expect(validEdits({ 0: edit }, trace, { 0: 'torch.zeros(2, 3)' })).toEqual({});
    expect(validEdits({ 0: { shape: [6], data: edit.data }, 1: edit }, trace, {})).toEqual({});
  });
});

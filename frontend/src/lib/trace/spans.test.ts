import { describe, expect, it } from 'vitest';
import { lineStarts, lineText, rangeOf, textOf } from './spans';

const span = (line: number, column: number, end_line: number, end_column: number) => ({
  line,
  column,
  end_line,
  end_column,
});

describe('spans', () => {
  it('finds where lines begin', () => {
    expect(lineStarts('ab\n\nc')).toEqual([0, 3, 4]);
  });

  it('covers an expression over two lines', () => {
    expect(textOf('a = f(1,\n      2)\n', span(1, 4, 2, 8))).toBe('f(1,\n      2)');
  });

  it('counts code points where the editor counts UTF-16 units', () => {
    const text = 's = "𝒙𝒚"; y = x';
    expect(rangeOf(text, span(1, 10, 1, 15))).toEqual({ from: 12, to: 17 });
    expect(textOf(text, span(1, 10, 1, 15))).toBe('y = x');
  });

  it('stays within the text when the span does not', () => {
    expect(rangeOf('ab\ncd', span(1, 9, 7, 3))).toEqual({ from: 2, to: 5 });
    expect(rangeOf('', span(3, 3, 2, 1))).toEqual({ from: 0, to: 0 });
  });

  it('says the lines of a span on one line', () => {
    expect(lineText('  y = x.mm(\n      w)\n', span(1, 6, 2, 8))).toBe('y = x.mm( w)');
  });
});

import type { Span } from '../../api/types';

/** A range of a text in UTF-16 units, as the editor counts. */
export interface TextRange {
  from: number;
  to: number;
}

/** Where each line of a text begins, in UTF-16 units. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The length in UTF-16 units of the first `points` code points of `text`, never more than its line. */
function utf16Length(text: string, points: number): number {
  let units = 0;
  for (let left = points; left > 0 && units < text.length; left--) {
    if (text[units] === '\n') break;
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

function offset(text: string, starts: number[], line: number, column: number): number {
  const start = starts[line - 1];
  if (start === undefined) return text.length;
  return start + utf16Length(text.slice(start), column);
}

/** A span (lines from 1, columns in code points) as a range of `text`, held within it. */
export function rangeOf(text: string, span: Span): TextRange {
  const starts = lineStarts(text);
  const from = offset(text, starts, span.line, span.column);
  return { from, to: Math.max(from, offset(text, starts, span.end_line, span.end_column)) };
}

/** The text that a span covers. */
export function textOf(text: string, span: Span): string {
  const { from, to } = rangeOf(text, span);
  return text.slice(from, to);
}

/** The source lines that a span touches, without their common margin, on one line. */
export function lineText(text: string, span: Span): string {
  const lines = text.split('\n').slice(span.line - 1, span.end_line);
  return lines.map((line) => line.trim()).join(' ');
}

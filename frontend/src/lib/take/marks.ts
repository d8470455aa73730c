/** A place on the page in CSS pixels, as `getBoundingClientRect` has it. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Stroke {
  /** `#rrggbbaa`, as all colours here. */
  colour: string;
  width: number;
  dash: number[];
  cap: 'butt' | 'round' | 'square';
}

/** Colours that follow each other in even steps from left to right. */
export interface Ramp {
  colours: string[];
}

export interface RectMark {
  kind: 'rect';
  box: Box;
  /** Of the corners from the upper left one on, clockwise. */
  radii: [number, number, number, number];
  fill: string | Ramp | null;
  stroke: Stroke | null;
  opacity: number;
}

export interface PathMark {
  kind: 'path';
  d: string;
  /** From the path's own coordinates to those of the page: a, b, c, d, e, f. */
  transform: [number, number, number, number, number, number];
  box: Box;
  fill: string | null;
  stroke: Stroke | null;
  opacity: number;
}

export interface TextMark {
  kind: 'text';
  text: string;
  /** Of the line of text; `baseline` is where the letters stand. */
  box: Box;
  baseline: number;
  style: string;
  weight: string;
  size: number;
  family: string;
  fill: string;
  opacity: number;
}

/** What is seen of its marks only within a box. */
export interface ClipMark {
  kind: 'clip';
  box: Box;
  radii: RectMark['radii'];
  marks: Mark[];
}

/** What is drawn on a page, in the order in which it is drawn. */
export type Mark = RectMark | PathMark | TextMark | ClipMark;

export function intersection(one: Box, other: Box): Box | null {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

export function union(one: Box | null, other: Box | null): Box | null {
  if (!one || !other) return one ?? other;
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
}

/** The least box around all that is seen of some marks; null for nothing. */
export function boundsOf(marks: readonly Mark[]): Box | null {
  return marks.reduce<Box | null>((bounds, mark) => union(bounds, boxOf(mark)), null);
}

function boxOf(mark: Mark): Box | null {
  if (mark.kind !== 'clip') return mark.box;
  const inner = boundsOf(mark.marks);
  return inner && intersection(inner, mark.box);
}

/** A box with more room on every side, its edges on whole pixels. */
export function padded({ x, y, width, height }: Box, by: number): Box {
  const [left, top] = [Math.floor(x - by), Math.floor(y - by)];
  return {
    x: left,
    y: top,
    width: Math.ceil(x + width + by) - left,
    height: Math.ceil(y + height + by) - top,
  };
}

/** Marks at another place. */
export function moved(marks: readonly Mark[], dx: number, dy: number): Mark[] {
  return marks.map((mark): Mark => {
    const box = { ...mark.box, x: mark.box.x + dx, y: mark.box.y + dy };
    if (mark.kind === 'clip') return { ...mark, box, marks: moved(mark.marks, dx, dy) };
    if (mark.kind === 'text') return { ...mark, box, baseline: mark.baseline + dy };
    if (mark.kind !== 'path') return { ...mark, box };
    const [a, b, c, d, e, f] = mark.transform;
    return { ...mark, box, transform: [a, b, c, d, e + dx, f + dy] };
  });
}

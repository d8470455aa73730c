import { hexOf } from './colours';
import type { Mark, TextMark } from './marks';

const ascents = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

/** The part of the height of a line of text that is above the baseline. */
function ascentOf(font: string): number {
  const found = ascents.get(font);
  if (found !== undefined) return found;
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return 0.8;
  pen.font = font;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText('x');
  const ascent = up + down > 0 ? up / (up + down) : 0.8;
  ascents.set(font, ascent);
  return ascent;
}

interface Line {
  text: string;
  rect: DOMRect;
}

/** The lines that a text was broken into, each with its place, without the spaces at their ends. */
function linesOf(node: Text): Line[] {
  const range = document.createRange();
  const line = (start: number, end: number): Line => {
    const raw = node.data.slice(start, end);
    const left = start + raw.length - raw.trimStart().length;
    range.setStart(node, left);
    range.setEnd(node, Math.max(left, left + raw.trim().length));
    return { text: raw.replaceAll(/\s+/g, ' ').trim(), rect: range.getBoundingClientRect() };
  };
  range.selectNodeContents(node);
  if (isOneLine(range.getClientRects())) return [line(0, node.data.length)];
  const lines: { start: number; end: number; top: number }[] = [];
  for (let k = 0; k < node.data.length; k += 1) {
    range.setStart(node, k);
    range.setEnd(node, k + 1);
    const rect = range.getBoundingClientRect();
    if (rect.width === 0) continue;
    const last = lines.at(-1);
    if (last && Math.abs(last.top - rect.top) < rect.height / 2) last.end = k + 1;
    else lines.push({ start: k, end: k + 1, top: rect.top });
  }
  return lines.map(({ start, end }) => line(start, end));
}

function isOneLine(rects: DOMRectList): boolean {
  const [first] = rects;
  return !!first && [...rects].every(({ top }) => Math.abs(top - first.top) < first.height / 2);
}

/** The lines of a text on the page. */
export function paintText(
  node: Text,
  style: CSSStyleDeclaration,
  scale: number,
  opacity: number,
  fill = hexOf(style.color),
): Mark[] {
  if (node.data.trim() === '') return [];
  const { fontStyle, fontWeight, fontFamily } = style;
  const ascent = ascentOf(`${fontStyle} ${fontWeight} 100px ${fontFamily}`);
  return linesOf(node)
    .filter(({ text }) => text !== '')
    .map(({ text, rect: { x, y, width, height } }): TextMark => ({
      kind: 'text',
      text,
      box: { x, y, width, height },
      baseline: y + height * ascent,
      style: fontStyle,
      weight: fontWeight,
      size: Number.parseFloat(style.fontSize) * scale,
      family: fontFamily,
      fill,
      opacity,
    }));
}

/** A text that a style sheet sets in the middle of an element. */
export function paintCentred(
  text: string,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  style: CSSStyleDeclaration,
  scale: number,
  opacity: number,
): Mark[] {
  const { fontStyle, fontWeight, fontFamily } = style;
  const size = Number.parseFloat(style.fontSize) * scale;
  const ascent = ascentOf(`${fontStyle} ${fontWeight} 100px ${fontFamily}`);
  if (!pen || text === '') return [];
  pen.font = `${fontStyle} ${fontWeight} ${size}px ${fontFamily}`;
  const { width: wide, fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText(text);
  const box = { x: x + (width - wide) / 2, y: y + (height - up - down) / 2, width: wide, height: up + down };
  return [
    {
      kind: 'text',
      text,
      box,
      baseline: box.y + box.height * ascent,
      style: fontStyle,
      weight: fontWeight,
      size,
      family: fontFamily,
      fill: hexOf(style.color),
      opacity,
    },
  ];
}

import { hexOf, isVisible, rampOf, splitList } from './colours';
import type { Box, Mark, RectMark, Stroke } from './marks';

type Radii = RectMark['radii'];

const SIDES = ['Top', 'Right', 'Bottom', 'Left'] as const;
const CORNERS = ['TopLeft', 'TopRight', 'BottomRight', 'BottomLeft'] as const;

/** The radii of the corners of an element. */
export function radiiOf(style: CSSStyleDeclaration, scale: number): Radii {
  return CORNERS.map((corner) => length(style[`border${corner}Radius`]) * scale) as Radii;
}

/** What an element paints of itself: shadows without blur, background, border. */
export function paintBox(style: CSSStyleDeclaration, box: Box, scale: number, opacity: number): Mark[] {
  const radii = radiiOf(style, scale);
  const base = { kind: 'rect' as const, box, radii, opacity, stroke: null };
  const marks: Mark[] = shadows(style.boxShadow, box, radii, scale, opacity);
  const fill = hexOf(style.backgroundColor);
  if (isVisible(fill)) marks.push({ ...base, fill });
  const colours = rampOf(style.backgroundImage);
  if (colours) marks.push({ ...base, fill: { colours } });
  return [
    ...marks,
    ...border(style, box, radii, scale, opacity),
    ...outline(style, box, radii, scale, opacity),
  ];
}

function length(text: string): number {
  return Number.parseFloat(text) || 0;
}

function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

function rounder(radii: Radii, by: number): Radii {
  return radii.map((radius) => (radius > 0 ? Math.max(0, radius + by) : 0)) as Radii;
}

/** Rings and stacks. A shadow proper is soft, and is left out: it would be a grey box in many programs. */
function shadows(text: string, box: Box, radii: Radii, scale: number, opacity: number): Mark[] {
  if (text === 'none') return [];
  const marks = splitList(text).flatMap((shadow): Mark[] => {
    const numbers = [...shadow.matchAll(/(?:^|\s)(-?[\d.]+)px/g)].map(([, number]) => Number(number) * scale);
    const [right = 0, down = 0, blur = 0, spread = 0] = numbers;
    const fill = hexOf(
      shadow
        .replaceAll(/(?:^|\s)-?[\d.]+px/g, '')
        .replace('inset', '')
        .trim(),
    );
    if (blur > 0 || shadow.includes('inset') || !isVisible(fill)) return [];
    const { x, y, ...size } = grown(box, spread);
    const at = { x: x + right, y: y + down, ...size };
    return [{ kind: 'rect', box: at, radii: rounder(radii, spread), fill, stroke: null, opacity }];
  });
  return marks.reverse();
}

function strokeOf(colour: string, width: number, style: string): Stroke | null {
  const drawn = hexOf(colour);
  if (width === 0 || style === 'none' || style === 'hidden' || !isVisible(drawn)) return null;
  const dash = style === 'dashed' ? [3 * width, 2 * width] : style === 'dotted' ? [width, 2 * width] : [];
  return { colour: drawn, width, dash, cap: 'butt' };
}

function border(style: CSSStyleDeclaration, box: Box, radii: Radii, scale: number, opacity: number): Mark[] {
  const sides = SIDES.map((side) =>
    strokeOf(
      style[`border${side}Color`],
      length(style[`border${side}Width`]) * scale,
      style[`border${side}Style`],
    ),
  );
  const [top] = sides;
  if (top && sides.every((side) => JSON.stringify(side) === JSON.stringify(top))) {
    const inner = grown(box, -top.width / 2);
    return [
      { kind: 'rect', box: inner, radii: rounder(radii, -top.width / 2), fill: null, stroke: top, opacity },
    ];
  }
  const { x, y, width, height } = box;
  const lines = [
    [x, y, width, 0],
    [x + width, y, 0, height],
    [x, y + height, width, 0],
    [x, y, 0, height],
  ] as const;
  return sides.flatMap((stroke, k): Mark[] => {
    const [left, over, wide, tall] = lines[k]!;
    if (!stroke) return [];
    const inwards = (k === 0 || k === 3 ? 1 : -1) * (stroke.width / 2);
    const [dx, dy] = wide > 0 ? [0, inwards] : [inwards, 0];
    return [
      {
        kind: 'path',
        d: `M0 0L${wide} ${tall}`,
        transform: [1, 0, 0, 1, left + dx, over + dy],
        box: { x: left, y: over, width: wide, height: tall },
        fill: null,
        stroke,
        opacity,
      },
    ];
  });
}

function outline(style: CSSStyleDeclaration, box: Box, radii: Radii, scale: number, opacity: number): Mark[] {
  const stroke = strokeOf(style.outlineColor, length(style.outlineWidth) * scale, style.outlineStyle);
  if (!stroke) return [];
  const by = length(style.outlineOffset) * scale + stroke.width / 2;
  return [{ kind: 'rect', box: grown(box, by), radii: rounder(radii, by), fill: null, stroke, opacity }];
}

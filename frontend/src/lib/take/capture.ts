import { paintBox, radiiOf } from './boxes';
import { hexOf, isVisible } from './colours';
import type { Box, Mark, Stroke } from './marks';
import { paintCentred, paintText } from './texts';

/** Parts of the page that are there to be used, not to be seen. */
const TOOLS = '.zoom, .map, .veil, .legend, .visually-hidden, [popover], .tabs, [role=tablist], .tool';

interface Ground {
  /** From lengths in style sheets to lengths on the page. */
  scale: number;
  opacity: number;
}

/**
 * What is drawn in elements of the page, as marks: places, colours, curves and lines of text, just as the browser has laid them
 * out. What has the colour of the page itself is left out, so that the marks can stand on any other.
 */
export function capture(roots: readonly Element[]): Mark[] {
  const paper = hexOf(getComputedStyle(document.documentElement).getPropertyValue('--paper'));
  return roots.flatMap((root) => paint(root, { scale: 1, opacity: 1 }, paper, root));
}

function paint(element: Element, ground: Ground, paper: string, root: Element | null = null): Mark[] {
  if (element !== root && element.matches(TOOLS)) return [];
  const style = getComputedStyle(element);
  const opacity = ground.opacity * Number(style.opacity);
  if (style.display === 'none' || style.contentVisibility === 'hidden' || opacity < 0.01) return [];
  const own = { scale: ground.scale * scaleOf(style.transform), opacity };
  if (element instanceof SVGElement) return paintSvg(element, style, own);
  const box = element.getBoundingClientRect();
  const isSeen = style.visibility === 'visible';
  const marks = isSeen ? paintBox(style, plain(box), own.scale, opacity).filter(isNot(paper)) : [];
  const inside = [
    ...pseudo(element, '::before', own),
    ...[...element.childNodes].flatMap((child) => {
      if (child instanceof Element) return paint(child, own, paper);
      return child instanceof Text && isSeen ? paintText(child, style, own.scale, opacity) : [];
    }),
    ...pseudo(element, '::after', own),
  ];
  const clips = style.overflowX !== 'visible' && style.display !== 'inline' && inside.length > 0;
  if (!clips) return [...marks, ...inside];
  return [...marks, { kind: 'clip', box: plain(box), radii: radiiOf(style, own.scale), marks: inside }];
}

function plain({ x, y, width, height }: Box): Box {
  return { x, y, width, height };
}

function isNot(paper: string) {
  return (mark: Mark) =>
    mark.kind !== 'rect' ||
    typeof mark.fill !== 'string' ||
    mark.fill.slice(0, 7) !== paper.slice(0, 7) ||
    mark.stroke !== null;
}

function scaleOf(transform: string): number {
  return transform === 'none' ? 1 : Math.abs(new DOMMatrixReadOnly(transform).a) || 1;
}

/** What a style sheet adds to an element, as far as it has a box of its own: rings and rules. */
function pseudo(element: Element, which: '::before' | '::after', { scale, opacity }: Ground): Mark[] {
  const style = getComputedStyle(element, which);
  if (style.content === 'none' || style.content === 'normal') return [];
  const text = /^"(.*)"$/.exec(style.content)?.[1] ?? '';
  if (style.position !== 'absolute') {
    // Of an element with nothing else in it: a sign.
    const isAlone = text !== '' && element.childNodes.length === 0;
    return isAlone ? paintCentred(text, element.getBoundingClientRect(), style, scale, opacity) : [];
  }
  const isOwn = getComputedStyle(element).position !== 'static';
  const frame = isOwn ? element : element instanceof HTMLElement ? element.offsetParent : null;
  if (!frame || style.visibility !== 'visible') return [];
  const around = frame.getBoundingClientRect();
  const { borderLeftWidth, borderTopWidth } = getComputedStyle(frame);
  const [left = 0, top = 0, width = 0, height = 0] = [style.left, style.top, style.width, style.height].map(
    (text) => Number.parseFloat(text) * scale,
  );
  const edges = style.boxSizing === 'border-box' ? 0 : 2 * Number.parseFloat(style.borderTopWidth) * scale;
  const box = {
    x: around.x + Number.parseFloat(borderLeftWidth) * scale + left,
    y: around.y + Number.parseFloat(borderTopWidth) * scale + top,
    width: width + edges,
    height: height + edges,
  };
  return paintBox(style, box, scale, opacity * Number(style.opacity));
}

/** Shapes of an SVG drawing as paths; the groups around them only pass on what they have. */
function paintSvg(element: SVGElement, style: CSSStyleDeclaration, ground: Ground): Mark[] {
  if (element.matches('defs, linearGradient, title, desc, clipPath')) return [];
  if (element instanceof SVGTextElement) return paintSvgText(element, style, ground.opacity);
  const d = element instanceof SVGGeometryElement ? dataOf(element) : null;
  if (d === null) {
    const inside = [...element.children].flatMap((child) => paint(child, { ...ground, scale: 1 }, ''));
    if (!(element instanceof SVGSVGElement) || style.overflowX === 'visible') return inside;
    return inside.length > 0
      ? [{ kind: 'clip', box: plain(element.getBoundingClientRect()), radii: [0, 0, 0, 0], marks: inside }]
      : [];
  }
  const matrix = (element as SVGGeometryElement).getScreenCTM();
  if (!matrix || style.visibility !== 'visible') return [];
  const fill = style.fill === 'none' ? '' : hexOf(colourOf(element, style.fill));
  const stroke = svgStroke(element, style);
  if (!isVisible(fill || '#00000000') && !stroke) return [];
  const { a, b, c, d: down, e, f } = matrix;
  return [
    {
      kind: 'path',
      d,
      transform: [a, b, c, down, e, f],
      box: plain(element.getBoundingClientRect()),
      fill: fill && isVisible(fill) ? withOpacity(fill, style.fillOpacity) : null,
      stroke,
      opacity: ground.opacity,
    },
  ];
}

function withOpacity(hex: string, opacity: string): string {
  const alpha = Math.round(Number.parseInt(hex.slice(7, 9) || 'ff', 16) * Number(opacity));
  return hex.slice(0, 7) + alpha.toString(16).padStart(2, '0');
}

/** The colour of a paint; of a gradient the one at its end. */
function colourOf(element: SVGElement, paint: string): string {
  const id = /^url\("?#([^")]+)"?\)/.exec(paint)?.[1];
  if (id === undefined) return paint;
  const stop = element.ownerDocument.getElementById(id)?.querySelector('stop:last-of-type');
  return stop ? getComputedStyle(stop).stopColor : 'transparent';
}

function svgStroke(element: SVGElement, style: CSSStyleDeclaration): Stroke | null {
  const width = Number.parseFloat(style.strokeWidth) || 0;
  const colour = style.stroke === 'none' ? '' : hexOf(colourOf(element, style.stroke));
  if (!colour || width === 0 || !isVisible(colour)) return null;
  const dash =
    style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[,\s]+/).map(Number.parseFloat);
  const cap =
    style.strokeLinecap === 'round' || style.strokeLinecap === 'square' ? style.strokeLinecap : 'butt';
  return { colour: withOpacity(colour, style.strokeOpacity), width, dash, cap };
}

function dataOf(shape: SVGGeometryElement): string {
  const number = (name: string) => Number.parseFloat(shape.getAttribute(name) ?? '') || 0;
  if (shape instanceof SVGCircleElement) {
    const [x, y, r] = [number('cx'), number('cy'), number('r')];
    return `M${x - r} ${y}A${r} ${r} 0 1 1 ${x + r} ${y}A${r} ${r} 0 1 1 ${x - r} ${y}Z`;
  }
  if (shape instanceof SVGRectElement)
    return `M${number('x')} ${number('y')}h${number('width')}v${number('height')}h${-number('width')}Z`;
  if (shape instanceof SVGLineElement)
    return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`;
  if (shape instanceof SVGPolylineElement || shape instanceof SVGPolygonElement)
    return `M${shape.getAttribute('points') ?? ''}${shape instanceof SVGPolygonElement ? 'Z' : ''}`;
  return shape.getAttribute('d') ?? '';
}

function paintSvgText(element: SVGTextElement, style: CSSStyleDeclaration, opacity: number): Mark[] {
  if (style.visibility !== 'visible') return [];
  return [...element.childNodes].flatMap((child) =>
    child instanceof Text ? paintText(child, style, 1, opacity, hexOf(style.fill)) : [],
  );
}

const known = new Map<string, string>();
let pen: CanvasRenderingContext2D | null = null;

/** Any colour of CSS as `#rrggbbaa`, which every program reads: browsers tell mixed ones as `oklab(...)`. */
export function hexOf(colour: string): string {
  const found = known.get(colour);
  if (found) return found;
  pen ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  });
  if (!pen) return colour;
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = pen.getImageData(0, 0, 1, 1).data;
  // A canvas keeps colours multiplied by their opacity: of faint ones only little would be left.
  const hex =
    alpha === 255 || alpha === 0
      ? '#' + [red, green, blue, alpha].map((part) => part.toString(16).padStart(2, '0')).join('')
      : `${hexOf(`color(from ${colour} srgb r g b / 1)`).slice(0, 7)}${alpha.toString(16).padStart(2, '0')}`;
  known.set(colour, hex);
  return hex;
}

export function isVisible(hex: string): boolean {
  return !hex.endsWith('00') || hex.length < 9;
}

/** The parts of a list in CSS, whose parts may have lists of their own in brackets. */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let k = 0; k < text.length; k += 1) {
    if (text[k] === '(') depth += 1;
    else if (text[k] === ')') depth -= 1;
    else if (text[k] === ',' && depth === 0) {
      parts.push(text.slice(start, k).trim());
      start = k + 1;
    }
  }
  return [...parts, text.slice(start).trim()].filter((part) => part !== '');
}

/** The steps between two colours of a ramp that is mixed in OKLab, for programs that mix otherwise. */
const STEPS = 4;

/** The colours of a gradient from left to right; null for any other image. */
export function rampOf(image: string): string[] | null {
  const inside = /^linear-gradient\((.*)\)$/s.exec(image)?.[1];
  if (!inside) return null;
  const parts = splitList(inside);
  const [direction = ''] = parts;
  if (!direction.includes('90deg')) return null;
  const ends = parts.slice(1);
  const mixed = ends.flatMap((from, k) => {
    const to = ends[k + 1];
    if (to === undefined) return [from];
    return Array.from({ length: STEPS }, (_, step) =>
      step === 0 ? from : `color-mix(in oklab, ${to} ${(100 * step) / STEPS}%, ${from})`,
    );
  });
  return mixed.map(hexOf);
}

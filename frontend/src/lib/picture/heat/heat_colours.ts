/** sRGB, 0..255. */
type Rgb = readonly [number, number, number];

/** Colours from -1 to 1 in so many steps to each side. */
const STEPS = 48;

const scales = new Map<string, string[]>();

function linear(channel: number): number {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

function encoded(c: number): number {
  const clipped = Math.max(0, Math.min(1, c));
  return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
}

/** Björn Ottosson's OKLab, in which CSS mixes too. */
function toOklab(rgb: Rgb): [number, number, number] {
  const [r, g, b] = rgb.map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: [number, number, number]): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = encoded(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return `rgb(${red},${green},${blue})`;
}

function parsed(colour: string): Rgb {
  const hex = /^#([\da-f]{6})$/i.exec(colour.trim())?.[1] ?? '808080';
  return [0, 2, 4].map((k) => Number.parseInt(hex.slice(k, k + 2), 16)) as unknown as Rgb;
}

function scaleOf(kind: 'value' | 'gradient', theme: string): string[] {
  const key = `${kind} ${theme}`;
  const known = scales.get(key);
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const anchor = (end: string) =>
    toOklab(parsed(style.getPropertyValue(`--${kind === 'value' ? 'v' : 'g'}-${end}`)));
  const [low, zero, high] = [anchor('neg'), anchor('zero'), anchor('pos')];
  const scale = Array.from({ length: 2 * STEPS + 1 }, (_, k) => {
    const t = (k - STEPS) / STEPS;
    const far = t < 0 ? low : high;
    return fromOklab(zero.map((x, i) => x + (far[i]! - x) * Math.abs(t)) as [number, number, number]);
  });
  scales.set(key, scale);
  return scale;
}

/** The colour of each heat from -1 to 1 in a theme of the page. They are read from its styles once. */
export function heatColours(kind: 'value' | 'gradient', theme: string): (heat: number) => string {
  const scale = scaleOf(kind, theme);
  return (heat) => scale[Math.round((heat + 1) * STEPS)] ?? 'transparent';
}

/** Reads the colours before they are needed: among new elements the browser would first work out the styles of them all. */
export function warmHeatColours(theme: string): void {
  scaleOf('value', theme);
  scaleOf('gradient', theme);
}

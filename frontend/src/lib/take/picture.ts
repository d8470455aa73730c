import { drawMarks } from './canvas';
import { fontsOf } from './fonts';
import { boundsOf, moved, padded, type Box, type Mark } from './marks';
import { svgOf } from './svg';

/** Room around a picture, in pixels. */
const MARGIN = 20;

/** Pixels of a PNG for one of the page. */
const DENSITY = 2;

/** What a page shows of a run: the picture, and the legend of its colours, which stands where there is room. */
export interface View {
  picture: Mark[];
  legend: Mark[];
}

/** Between a picture and its legend, in pixels. */
const GAP = 18;

/** The picture with its legend below it at the right; `bounds` are the picture's, or those of all pictures of a film. */
export function withLegend({ picture, legend }: View, bounds: Box | null = boundsOf(picture)): Mark[] {
  const own = boundsOf(legend);
  if (!own || !bounds) return [...picture, ...legend];
  const x = Math.max(bounds.x, bounds.x + bounds.width - own.width);
  return [...picture, ...moved(legend, x - own.x, bounds.y + bounds.height + GAP - own.y)];
}

function boxOf(marks: readonly Mark[]) {
  return padded(boundsOf(marks) ?? { x: 0, y: 0, width: 16, height: 16 }, MARGIN);
}

/** Marks as an SVG with its fonts. */
export async function svgFile(marks: readonly Mark[], title: string): Promise<Blob> {
  const svg = svgOf(marks, boxOf(marks), title, await fontsOf(marks));
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** Marks as a PNG, at twice the size. */
export function pngFile(marks: readonly Mark[]): Promise<Blob> {
  const canvas = document.createElement('canvas');
  drawMarks(canvas, marks, boxOf(marks), DENSITY);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))),
      'image/png',
    ),
  );
}

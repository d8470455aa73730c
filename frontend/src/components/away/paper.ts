import { boundsOf, padded } from '../../lib/take/marks';
import { withLegend } from '../../lib/take/picture';
import { svgOf } from '../../lib/take/svg';
import { viewAtHand } from '../../state/view_at_hand';

/** Room around the picture, in pixels. */
const MARGIN = 4;

/**
 * Prints the page with the view at hand as a drawing: paper is as wide as it is, and the graph was laid out for the screen.
 */
export function printPage(title: string): void {
  const marks = withLegend(viewAtHand());
  const box = boundsOf(marks);
  const main = document.querySelector('.page main');
  if (!main || !box) return print();
  const svg = new DOMParser().parseFromString(svgOf(marks, padded(box, MARGIN), title), 'image/svg+xml');
  const picture = document.createElement('div');
  picture.className = 'on-paper';
  picture.append(document.importNode(svg.documentElement, true));
  main.prepend(picture);
  addEventListener('afterprint', () => picture.remove(), { once: true });
  print();
}

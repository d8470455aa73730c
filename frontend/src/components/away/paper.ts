import { boundsOf, padded } from '../../lib/take/marks';
import { withLegend } from '../../lib/take/picture';
import { svgOf } from '../../lib/take/svg';
import { viewAtHand } from '../../state/view_at_hand';

/** Room around the picture, in pixels. */
const MARGIN = 4;

/**
 * The view at hand as a drawing while the page is printed, by whichever way it is: paper is as wide as it is, and the graph
 * was laid out for the screen.
 */
function draw(): void {
  document.querySelector('.on-paper')?.remove();
  const marks = withLegend(viewAtHand());
  const box = boundsOf(marks);
  const main = document.querySelector('.page main');
  if (!main || !box) return;
  const svg = new DOMParser().parseFromString(
    svgOf(marks, padded(box, MARGIN), document.title),
    'image/svg+xml',
  );
  const picture = document.createElement('div');
  picture.className = 'on-paper';
  picture.append(document.importNode(svg.documentElement, true));
  main.prepend(picture);
}

let isReady = false;

/** From now on the browser's own command prints a drawing, too: it asks at a moment when nothing can be loaded any more. */
export function preparePaper(): void {
  if (isReady) return;
  isReady = true;
  addEventListener('beforeprint', draw);
  addEventListener('afterprint', () => document.querySelector('.on-paper')?.remove());
}

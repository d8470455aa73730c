import { EditorView } from '@codemirror/view';

/** How much of the program stays to be seen above the line that failed. */
const MARGIN = 40;

/**
 * Brings the card of an error into sight: on a small screen, and in a long program, the line that failed is below the
 * fold. Who is at work in the editor keeps their place.
 */
export function bringCardIntoSight(view: EditorView, position: number): void {
  if (view.hasFocus) return;
  if (cardIn(view)) return show(view);
  // Of a long program the editor draws only what is near.
  view.dispatch({ effects: EditorView.scrollIntoView(position, { y: 'start', yMargin: MARGIN }) });
  view.requestMeasure({ read: () => null, write: () => show(view) });
}

function cardIn(view: EditorView): Element | null {
  return view.contentDOM.querySelector('.gf-error');
}

function show(view: EditorView): void {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  cardIn(view)?.scrollIntoView({ block: 'nearest', behavior: isStill ? 'instant' : 'smooth' });
}

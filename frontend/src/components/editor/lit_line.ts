import { EditorView } from '@codemirror/view';

/** Keeps the line of the step in sight, in a program longer than its pane. Who is at work in the pane keeps their place. */
export class LitLine {
  private source: string | null = null;
  private line: number | null = null;
  private step: number | null = null;
  private hasStrayed = false;

  constructor(
    private readonly view: EditorView,
    private readonly pane: HTMLElement,
  ) {
    const stray = () => (this.hasStrayed = true);
    for (const by of ['wheel', 'touchmove']) pane.addEventListener(by, stray, { passive: true });
    // The bar at the side belongs to the pane itself.
    pane.addEventListener('pointerdown', ({ target }) => target === pane && stray());
  }

  /**
   * Another line is lit, or the same one at another step. A program that has just come is read from its beginning, and who has scrolled away from the lit
   * line stays there, unless they have chosen the line themselves, in the picture.
   */
  follow(source: string, line: number | null, step: number | null, isChosen: boolean): void {
    const { source: shown, line: before } = this;
    const isSame = line === before && step === this.step;
    [this.source, this.line, this.step] = [source, line, step];
    if (source !== shown || line === null || isSame || this.pane.contains(document.activeElement)) return;
    if (this.hasStrayed && !isChosen && !this.isSeen(before)) return;
    this.hasStrayed = false;
    this.bring();
  }

  /** The pane has come into sight. */
  bring(): void {
    const { view, line } = this;
    const isHidden = view.dom.offsetHeight === 0;
    if (isHidden || line === null || line > view.state.doc.lines || this.isSeen(line)) return;
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(line).from, { y: 'center' }) });
  }

  private isSeen(line: number | null): boolean {
    if (line === null || line > this.view.state.doc.lines) return false;
    const place = this.view.coordsAtPos(this.view.state.doc.line(line).from);
    const { top, bottom } = this.pane.getBoundingClientRect();
    return place !== null && place.top >= top && place.bottom <= bottom;
  }
}

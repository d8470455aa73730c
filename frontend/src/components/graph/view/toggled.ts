/** The button that folds takes the place of the one that unfolds; the keyboard's focus goes with it. */
export class Toggled {
  private button: string | null = null;

  /** A group was folded or unfolded. */
  note(group: string, folded: boolean): void {
    this.button = `${folded ? '.folded' : '.title'}[data-group="${CSS.escape(group)}"]`;
  }

  /** The picture was drawn anew. */
  focusWithin(section: HTMLElement): void {
    if (this.button !== null) requestAnimationFrame(() => this.focus(section));
  }

  private focus(section: HTMLElement): void {
    const group = this.button === null ? null : section.querySelector<HTMLElement>(this.button);
    if (!group) return;
    this.button = null;
    (group.querySelector('button') ?? group).focus();
  }
}

import type Katex from 'katex';
import { afterFirstPaint } from '../lib/page/first_paint';

/** KaTeX, once it has come: it is large, and the page can be read without it. */
class Typesetter {
  private katex = $state.raw<typeof Katex | null>(null);
  private asked = false;

  /** The HTML of a formula; null until KaTeX is there. */
  html(tex: string, display: boolean): string | null {
    this.load();
    return (
      this.katex?.renderToString(tex, { displayMode: display, throwOnError: false, strict: 'ignore' }) ?? null
    );
  }

  load(): void {
    if (this.asked) return;
    this.asked = true;
    void afterFirstPaint(() => Promise.all([import('katex'), import('katex/dist/katex.min.css')])).then(
      ([{ default: katex }]) => (this.katex = katex),
      () => (this.asked = false),
    );
  }
}

export const typesetter = new Typesetter();

import { examples } from '../api/client';
import type { Example, Trace } from '../api/types';
import example from '../fixtures/first_example.json';
import first from '../fixtures/matrix_product.json';
import { i18n } from '../i18n/index.svelte';
import type { Moment } from '../lib/animation/now/opening';
import { afterFirstPaint } from '../lib/page/first_paint';
import { BLANK_STATE, readHash, writeHash, type PageState } from '../lib/page/url';
import { lessons } from './lessons.svelte';
import { preferences } from './preferences.svelte';
import { session } from './session.svelte';

/** The first example's run, recorded at build time, so that the first picture needs no answer from the server. */
const FIRST = first as unknown as Trace;
const FIRST_EXAMPLE: Example = example;

/** A single change goes into the URL at once; of changes that follow each other faster than this, the last. */
const REST = 250;

/** Keeps the page and its URL the same. The URL is replaced; only another program is an entry of its own in the history. */
class Address {
  /** Part of the link could not be read. */
  broken = $state(false);
  /** What the URL said when it was last read or written here. */
  private known = '';
  private changed = -Infinity;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows what the URL says, or the first example. */
  async start(): Promise<void> {
    const linked = location.hash.length > 1;
    const gallery = linked ? this.loadExamples() : afterFirstPaint(() => this.loadExamples());
    if (linked) await this.read(gallery);
    else this.showFirst();
    addEventListener('hashchange', () => location.hash.slice(1) !== this.known && void this.read(gallery));
  }

  /** The first example, which needs no server. */
  showFirst(): void {
    session.examples = [FIRST_EXAMPLE];
    session.show(FIRST);
  }

  private async loadExamples(): Promise<Example[]> {
    try {
      // The line break at the end of a file would be an empty line in the editor.
      session.examples = (await examples()).map((each) => ({ ...each, source: each.source.trimEnd() }));
    } catch {
      session.examples = [FIRST_EXAMPLE];
    }
    return session.examples;
  }

  private async read(gallery: Promise<Example[]>): Promise<void> {
    clearTimeout(this.timer);
    this.turn += 1;
    this.known = location.hash.slice(1);
    const { state, whole } = await readHash(location.hash);
    const source = await this.sourceOf(state, gallery);
    if (this.known !== location.hash.slice(1)) return; // another link came in between
    this.broken = !whole || source === null;
    preferences.speak(state.language);
    session.view = state.view;
    if (state.lesson !== null && state.code === null) return lessons.start(state.lesson);
    if (state.lesson !== null) lessons.resume(state.lesson);
    else lessons.leave();
    const recorded = (source ?? FIRST.source) === FIRST.source && Object.keys(state.gradients).length === 0;
    if (recorded) session.show(FIRST, state.step);
    else session.load(source ?? FIRST.source, state.gradients, state.step);
  }

  /** The program that a link names, null for an example that does not exist. */
  private async sourceOf({ code, example }: PageState, gallery: Promise<Example[]>): Promise<string | null> {
    if (code !== null) return code;
    if (example === null || example === FIRST_EXAMPLE.id) return FIRST.source;
    return (await gallery).find(({ id }) => id === example)?.source ?? null;
  }

  private state(): PageState {
    const around = { ...BLANK_STATE, language: i18n.language, lesson: lessons.open };
    // The program on screen is not that of a lesson which is still on its way.
    if (lessons.open !== null && !lessons.begun) return around;
    const example = session.example?.id ?? null;
    return {
      ...around,
      example,
      code: example === null ? session.source : null,
      gradients: session.edits,
      step: session.position,
      view: session.view,
    };
  }

  /** To be called in an effect: writes the URL when what it holds has come to rest. */
  follow(): void {
    const state = this.state();
    clearTimeout(this.timer);
    if (session.playing || session.dragging) return;
    const now = performance.now();
    const wait = now - this.changed > REST ? 0 : REST;
    this.changed = now;
    this.timer = setTimeout(() => void this.write(state), wait);
  }

  /** Writes the URL now, for a link that is about to be taken away. */
  async settle(): Promise<void> {
    clearTimeout(this.timer);
    await this.write(this.state());
  }

  /** Remembers the program on screen, to which the browser's Back returns, before another takes its place. */
  async keep(): Promise<void> {
    await this.settle();
    history.pushState(history.state, '', location.href);
  }

  /** Puts another program in the place of the one on screen. */
  async replace(source: string, step: number | Moment | null = null): Promise<void> {
    if (source !== session.source) await this.keep();
    session.load(source, {}, step);
  }

  private async write(state: PageState): Promise<void> {
    const turn = ++this.turn;
    const hash = await writeHash(state);
    // a link that was opened meanwhile is read first, not written over
    if (turn !== this.turn || location.hash.slice(1) !== this.known) return;
    this.known = hash;
    history.replaceState(history.state, '', `#${hash}`);
  }
}

export const address = new Address();

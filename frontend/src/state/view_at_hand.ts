import { flushSync } from 'svelte';
import { capture } from '../lib/take/capture';
import type { View } from '../lib/take/picture';
import { preferences } from './preferences.svelte';
import { session } from './session.svelte';

/** What the page shows of the run: the sentence, and the graph or what stands beside it. */
function shown(): Element[] {
  const all = [...document.querySelectorAll('main .sentence, main .view, main .beside')];
  const beside = document.querySelector('main .beside');
  // On a narrow page what stands beside the graph covers it.
  return beside && document.querySelector('.page.folded, .page.phone') ? [beside] : all;
}

/**
 * The view at hand, in light colours whatever the theme: they are made for white paper. The page is light only between two
 * of its own paintings, so that nobody sees it change.
 */
export function viewAtHand(): View {
  const { theme } = preferences;
  const still = document.head.appendChild(document.createElement('style'));
  still.textContent = '*, *::before, *::after { transition: none !important; animation: none !important }';
  try {
    preferences.theme = 'light';
    document.documentElement.dataset.theme = 'light';
    session.hovered = null;
    flushSync();
    const legends = [...document.querySelectorAll('main .view .legend')].filter((each) =>
      each.checkVisibility(),
    );
    return { picture: capture(shown()), legend: capture(legends.slice(-1)) };
  } finally {
    preferences.theme = theme;
    document.documentElement.dataset.theme = theme;
    flushSync();
    still.remove();
  }
}

function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** The part of the run that a film shows: the pass at hand, else all of it. In milliseconds. */
export function stretchAtHand(): { from: number; to: number } {
  const { timeline, passIndex } = session;
  const own = timeline.segments.filter(({ pass }) => pass !== null && pass === passIndex);
  return { from: own[0]?.start ?? 0, to: own.at(-1)?.end ?? timeline.duration };
}

/** The view at a moment of the run, which the page goes to. */
export async function viewAt(time: number): Promise<View> {
  session.seek(time);
  await painted();
  return viewAtHand();
}

import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/forced.css';
import 'katex/dist/katex.min.css';
import { mount } from 'svelte';
import Offline from './Offline.svelte';
import type { OfflineRun } from './lib/page/offline_run';
import { unpack } from './lib/page/packed';
import { preferences } from './state/preferences.svelte';
import { session } from './state/session.svelte';

/** Plays the run that stands in the file. */
async function start(): Promise<void> {
  const place = document.getElementById('run');
  const target = document.getElementById('app');
  if (!place?.textContent || !target) return;
  const run = await unpack<OfflineRun>(place.textContent);
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  preferences.theme = (run.theme ?? (isDark ? 'dark' : 'light')) === 'dark' ? 'dark' : 'light';
  preferences.speak(run.language ?? navigator.language.slice(0, 2));
  session.show(run.trace, run.step);
  mount(Offline, { target, props: { link: run.link } });
}

void start();

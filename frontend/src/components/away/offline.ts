import { i18n } from '../../i18n/index.svelte';
import { RUN_PLACE, type OfflineRun } from '../../lib/page/offline_run';
import { pack } from '../../lib/page/packed';
import { session } from '../../state/session.svelte';

/** The run as a page that is one file and needs no network. */
export async function offlineFile(): Promise<Blob> {
  const page = await fetch(new URL('player.html', document.baseURI));
  if (!page.ok) throw new Error(page.statusText);
  const run: OfflineRun = {
    trace: session.trace,
    step: session.position,
    language: i18n.language,
    theme: null,
    link: location.href,
  };
  const packed = await pack(run);
  return new Blob([(await page.text()).replace(RUN_PLACE, () => packed)], { type: 'text/html' });
}

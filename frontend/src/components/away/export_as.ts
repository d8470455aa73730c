import { render } from '../../api/client';
import { i18n } from '../../i18n/index.svelte';
import { accountOf } from '../../lib/account/account';
import { diagramOf } from '../../lib/account/diagram';
import { markdownOf } from '../../lib/account/markdown';
import { gifOf, makesWebm, shoot, webmOf, type Film } from '../../lib/take/film';
import { pngFile, svgFile, withLegend } from '../../lib/take/picture';
import { address } from '../../state/address.svelte';
import { session } from '../../state/session.svelte';
import { stretchAtHand, viewAt, viewAtHand } from '../../state/view_at_hand';
import type { Format } from './formats';
import { offlineFile } from './offline';
import { preparePaper } from './paper';

type Say = (text: string) => void;

/** Between two pictures of a film, in milliseconds. */
const EVERY = { gif: 80, webm: 40 };

/** What the reader calls the run: the example's name, else `gradflow`. */
function fileName(extension: string): string {
  return `${session.example?.id ?? 'gradflow'}.${extension}`;
}

function save(blob: Blob, extension: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName(extension) });
  link.click();
  // A browser may begin to read only after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function title(): string {
  return session.example?.title[i18n.language] ?? i18n.t.header.own;
}

/** The account of the run, as Markdown. */
function markdown(): string {
  const { trace } = session;
  const frame = { title: title(), link: location.href, diagram: diagramOf(trace) };
  return markdownOf(i18n.t, accountOf(i18n.t, trace), frame);
}

async function copy(text: string, say: Say): Promise<void> {
  const t = i18n.t.away;
  try {
    await navigator.clipboard.writeText(text);
    say(t.copied);
  } catch {
    save(new Blob([text], { type: 'text/markdown' }), 'md');
  }
}

async function film(format: 'gif' | 'webm', say: Say): Promise<void> {
  const t = i18n.t.away;
  if (format === 'webm' && !makesWebm()) return say(t.noWebm);
  const told = (done: number) => say(t.filming(Math.round(100 * done)));
  const shot = await shootAtHand(EVERY[format], told);
  const make: (film: Film, told: (done: number) => void) => Promise<Blob> = format === 'gif' ? gifOf : webmOf;
  save(await make(shot, told), format);
  say('');
}

/** Pictures of the stretch at hand. The page is where it was as soon as they are taken: to write the file takes longer. */
async function shootAtHand(every: number, told: (done: number) => void): Promise<Film> {
  session.pause();
  const { time, selection } = session;
  try {
    return await shoot({ ...stretchAtHand(), at: viewAt, told }, every);
  } finally {
    session.seek(time);
    session.select(selection);
  }
}

/** The whole graph with all its gradients, which a reader who works one out is not to be told. */
async function drawnByServer(format: 'pdf' | 'dot', say: Say): Promise<void> {
  if (session.isMasked) return say(i18n.t.predict.view);
  save(await render(session.request(), format, 'light'), format);
}

const actions: Record<Format, (say: Say) => Promise<void> | void> = {
  svg: async () => save(await svgFile(withLegend(viewAtHand()), title()), 'svg'),
  png: async () => save(await pngFile(withLegend(viewAtHand())), 'png'),
  print: () => {
    preparePaper();
    print();
  },
  gif: (say) => film('gif', say),
  webm: (say) => film('webm', say),
  html: async () => save(await offlineFile(), 'html'),
  markdown: (say) => copy(markdown(), say),
  json: () => save(new Blob([JSON.stringify(session.trace)], { type: 'application/json' }), 'json'),
  pdf: (say) => drawnByServer('pdf', say),
  dot: (say) => drawnByServer('dot', say),
};

/** Takes the view, or the run, away as a file; says what went wrong. */
export async function exportAs(format: Format, say: Say): Promise<void> {
  try {
    await address.settle();
    await actions[format](say);
  } catch (cause) {
    console.warn(cause);
    say(i18n.t.exportAs.failed);
  }
}

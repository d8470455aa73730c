import { Problem, shortLink } from '../../api/client';

/** An `<iframe>` for another page that shows what an address of the playground shows. */
export function frameOf(address: string): string {
  const url = new URL('embed', new URL(address));
  url.hash = new URL(address).hash;
  return `<iframe src="${escaped(url.href)}" width="100%" height="508" title="Gradflow"></iframe>`;
}

/** The tag of the web component, with the program in it. */
export function tagOf(address: string, source: string): string {
  const script = new URL('embed.js', new URL(address));
  script.hash = '';
  return `<script src="${escaped(script.href)}"></script>\n<gradflow-graph>\n${escaped(source)}\n</gradflow-graph>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A short address for one of the playground's; null where the service gives none. */
export async function shortened(address: string): Promise<string | null> {
  try {
    return (await shortLink(new URL(address).hash.slice(1))).url;
  } catch (cause) {
    if (cause instanceof Problem) return null;
    throw cause;
  }
}

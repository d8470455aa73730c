import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite';

/** Where the page wants the first example. */
const PLACE = '<!--prerendered-->';

const folder = fileURLToPath(new URL('node_modules/.prerender/', import.meta.url));

/** The HTML that `src/prerender.ts` gives, built as a server would run it. */
async function htmlOfPage(): Promise<string> {
  await build({
    logLevel: 'warn',
    build: { ssr: 'src/prerender.ts', outDir: folder, emptyOutDir: true, copyPublicDir: false },
  });
  const { prerendered } = (await import(pathToFileURL(`${folder}prerender.js`).href)) as {
    prerendered: () => string;
  };
  rmSync(folder, { recursive: true });
  return prerendered();
}

/** The styles of a part of the page that is loaded later. What else it needs would only keep the picture waiting. */
function stylesOf(start: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): HtmlTagDescriptor[] {
  const chunks = [start, ...start.imports.map((name) => bundle[name])].filter(
    (each) => each?.type === 'chunk' && !each.isEntry,
  );
  const files = new Set(chunks.flatMap((chunk) => [...(chunk?.viteMetadata?.importedCss ?? [])]));
  return [...files].map((file) => ({
    tag: 'link',
    attrs: { rel: 'stylesheet', crossorigin: '', href: `./${file}` },
    injectTo: 'head',
  }));
}

/** Puts the first example into `index.html`, with the styles that it needs. */
export const prerender: Plugin = {
  name: 'prerender',
  apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
  transformIndexHtml: {
    order: 'post',
    async handler(html, { bundle = {} }) {
      if (!html.includes(PLACE)) return html;
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
      const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/start.ts'));
      if (!start) this.error('there is no src/start.ts to begin the page with');
      const isMissing = ({ attrs }: HtmlTagDescriptor) => !html.includes(`"${String(attrs?.href)}"`);
      return {
        html: html.replace(PLACE, await htmlOfPage()),
        tags: stylesOf(start, bundle).filter(isMissing),
      };
    },
  },
};

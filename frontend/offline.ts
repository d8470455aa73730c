import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin, type PluginOption, type Rolldown } from 'vite';
import { withFewLetters } from './few_letters';
import { LETTERS, decode85, encode85 } from './src/lib/page/base85';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Fonts that no formula of ours is set in, and letters that few names have: without them the file is half as long. */
const LEFT_OUT =
  /latin-ext|KaTeX_(?:AMS|Caligraphic|Fraktur|Main-Bold|Main-Italic|Math-Bold|SansSerif|Script|Typewriter)|mono-latin-500/;

const fewFonts: Plugin = {
  name: 'few-fonts',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.css')) return null;
    const isTwice = (face: string) => id.endsWith('styles/fonts.css') && face.includes('KaTeX');
    return code.replaceAll(/@font-face\s*\{[^}]*\}/g, (face) =>
      LEFT_OUT.test(face) || isTwice(face) ? '' : face,
    );
  },
};

/** Unpacks the page, which is kept packed to be short, and starts it. */
const UNPACK = `(async () => {
  const packed = (${decode85})(document.getElementById('page').textContent, '${LETTERS}');
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const { script, style } = await new Response(stream).json();
  for (const [tag, text] of [['style', style], ['script', script]])
    document.head.append(Object.assign(document.createElement(tag), { textContent: text }));
})();`;

function html(script: string, style: string): string {
  const page = encode85(gzipSync(JSON.stringify({ script, style }), { level: 9 }));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Gradflow</title>
  </head>
  <body>
    <div id="app"></div>
    <script type="text/plain" id="run"><!--run--></script>
    <script type="text/plain" id="page">${page}</script>
    <script>${UNPACK}</script>
  </body>
</html>
`;
}

/** The page that plays, as one script and one style sheet. */
async function bundle(plugins: PluginOption[]): Promise<{ script: string; style: string }> {
  const built = (await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [fewFonts, ...plugins],
    resolve: {
      alias: [{ find: './start_worker', replacement: `${root}src/lib/picture/layout/start_inside.ts` }],
    },
    build: {
      write: false,
      target: 'es2023',
      cssCodeSplit: false,
      assetsInlineLimit: Infinity,
      copyPublicDir: false,
      modulePreload: false,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: 'src/offline.ts',
        output: { format: 'iife', codeSplitting: false },
        checks: { emptyImportMeta: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  const script = built.output.filter((each) => each.type === 'chunk').map(({ code }) => code);
  const styles = built.output.filter((each) => each.type === 'asset' && each.fileName.endsWith('.css'));
  return {
    script: script.join('\n'),
    style: styles.map((each) => 'source' in each && String(each.source)).join('\n'),
  };
}

/** Makes `player.html`: one file that plays the run which is written into it. `plugins` are those of the page itself. */
export function offline(plugins: () => PluginOption[]): Plugin {
  return {
    name: 'offline',
    apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    async generateBundle() {
      const { script, style } = await bundle(plugins());
      this.emitFile({
        type: 'asset',
        fileName: 'player.html',
        source: html(script, await withFewLetters(style)),
      });
    },
  };
}

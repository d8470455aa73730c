import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { offline } from './offline';
import { prerender } from './prerender';

/** KaTeX names each font in three formats; every browser that can run the page reads the first. */
const fontsInOneFormat: Plugin = {
  name: 'fonts-in-one-format',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('katex.min.css')) return null;
    return code.replaceAll(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, '');
  },
};

const paletteFile = new URL('../engine/palette.json', import.meta.url);

/** The page and the pictures of the server have one palette. Forward is blue, backward amber; `v-` and `g-` are the
    anchors of the heat of values and of gradients, mixed in OKLab. */
const palette: Plugin = {
  name: 'palette',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('styles/tokens.css')) return null;
    const themes = JSON.parse(readFileSync(paletteFile, 'utf-8')) as Record<string, Record<string, string>>;
    return code.replaceAll(/\/\* the colours of the palette: (\w+) \*\//g, (_, theme: string) =>
      Object.entries(themes[theme] ?? {})
        .map(([name, colour]) => `--${name}: ${colour};`)
        .join(' '),
    );
  },
};

/** What every build of the page needs. */
const ofThePage = () => [svelte(), fontsInOneFormat, palette];

const server = process.env.GRADFLOW_SERVER ?? 'http://127.0.0.1:8000';

export default defineConfig({
  base: './',
  plugins: [...ofThePage(), prerender, offline(ofThePage)],
  server: { proxy: { '/api': server, '/docs': server, '/openapi.json': server } },
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 1800,
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['index.html', 'embed.html'] },
  },
  worker: { format: 'es' },
  // Without the browser condition vitest would load Svelte's server build.
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  // No test measures time: what a busy machine takes is not a failure.
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts', 'check_rooms.test.js'],
    testTimeout: 120_000,
  },
});

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const server = process.env.GRADFLOW_SERVER ?? 'http://127.0.0.1:8000';

export default defineConfig({
  base: './',
  plugins: [svelte()],
  server: { proxy: { '/api': server, '/docs': server, '/openapi.json': server } },
  build: { target: 'es2023', chunkSizeWarningLimit: 1800, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  // Without the browser condition vitest would load Svelte's server build.
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  test: { environment: 'jsdom', include: ['src/**/*.test.ts'] },
});

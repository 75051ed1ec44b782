import { defineConfig } from 'vite';

export default defineConfig({
  // Relative, so that the console works behind a proxy that adds a path.
  base: './',
  build: {
    target: ['chrome123', 'firefox135', 'safari18.4'],
    // No data: URLs and no inline preload script, which a strict content security policy would refuse.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/v1': 'http://127.0.0.1:18080' },
  },
});

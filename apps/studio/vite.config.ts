import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/**
 * Builds the page into `dist/page`, after the bundle of the package, which removes files that it does not know. The page is served at
 * `/studio/` everywhere: a path such as `/studio/c/ID` answers the same `index.html`, so its assets have absolute paths. The
 * content security policy allows files of the page's own origin alone, so nothing is inlined.
 */
export default defineConfig({
  root: fileURLToPath(new URL('src/page', import.meta.url)),
  base: '/studio/',
  build: {
    outDir: fileURLToPath(new URL('dist/page', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2023',
    reportCompressedSize: false,
    // directives of React's servers mean nothing in a page
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
});

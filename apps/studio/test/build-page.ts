import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** The files of the page that the tests show. */
export interface BuiltPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

let built: Promise<BuiltPage> | undefined;

/** Builds the page of the tests, once in a process. */
export function buildPage(): Promise<BuiltPage> {
  built ??= make();
  return built;
}

async function make(): Promise<BuiltPage> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('page', import.meta.url)),
    base: '/',
    build: {
      write: false,
      target: 'es2023',
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: { codeSplitting: false, entryFileNames: 'page.js', assetFileNames: 'page[extname]' },
      },
    },
  });
  const [bundle] = Array.isArray(result) ? result : [result];
  if (!bundle || !('output' in bundle)) throw new Error('expected a bundle of the page, found a watcher');
  const file = (name: string): string => {
    const part = bundle.output.find(({ fileName }) => fileName === name);
    if (!part)
      throw new Error(`expected ${name} in the page, found ${bundle.output.map((one) => one.fileName).join(', ')}`);
    return part.type === 'chunk' ? part.code : String(part.source);
  };
  return { html: file('index.html'), script: file('page.js'), style: file('page.css') };
}

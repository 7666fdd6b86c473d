import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

/**
 * Builds what an exported page carries, one script and one style, into `dist/page/viewer-assets.js`, and copies the style of the
 * React components. It runs after the bundle of the package, which removes files that it does not know.
 */
const bundle = await rolldown({
  input: 'src/page/viewer.tsx',
  platform: 'browser',
  tsconfig: 'tsconfig.build.json',
  transform: { target: 'es2024', define: { 'process.env.NODE_ENV': '"production"' } },
});
const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
await bundle.close();
const [script] = output;
if (output.length !== 1 || script.type !== 'chunk' || script.imports.length > 0)
  throw new Error(
    `expected a viewer of one module without imports, found ${output.map(({ fileName }) => fileName).join(', ')}`,
  );

const style = ['src/react/style.css', 'src/page/page.css'].map((path) => readFileSync(path, 'utf8')).join('\n');
const assets = {
  // in strings of the script: tags and comments would end the element that carries it, or hide its end
  script: script.code.replace(/<(?=!--|\/|script)/gi, String.raw`\x3c`).trimEnd(),
  style: style
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .trim(),
};
mkdirSync('dist/page', { recursive: true });
const lines = Object.entries(assets).map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`);
writeFileSync('dist/page/viewer-assets.js', lines.join(''));
mkdirSync('dist/react', { recursive: true });
copyFileSync('src/react/style.css', 'dist/react/style.css');

import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { root } from '../bootstrap/process.mjs';
import { entriesOf, publicPackages } from '../checks/packages.ts';

const ANYWHERE = ['@conv/core', '@conv/openhands', '@conv/remote'];
const entries = publicPackages(root)
  .filter(({ name }) => ANYWHERE.includes(name))
  .flatMap(entriesOf)
  .map(({ specifier }) => specifier);

/** Bundles a program that imports everything of these entry points for browsers, and returns it with what it still imports. */
async function bundleOf(specifiers: readonly string[]): Promise<{ code: string; imports: readonly string[] }> {
  const program = specifiers.map((specifier) => `export * as ${specifier.replace(/\W/g, '_')} from '${specifier}';`);
  const bundle = await rolldown({
    input: 'program',
    platform: 'browser',
    plugins: [
      {
        name: 'program',
        resolveId: async function resolveId(id, importer, options) {
          if (id === 'program') return id;
          // as a program that depends on all three of them finds them
          const from = importer === 'program' ? fileURLToPath(import.meta.resolve('@conv/remote')) : importer;
          return importer === 'program' ? this.resolve(id, from, { ...options, skipSelf: true }) : undefined;
        },
        load: (id) => (id === 'program' ? program.join('\n') : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const chunks = output.filter((part) => part.type === 'chunk');
  return {
    code: chunks.map(({ code }) => code).join('\n'),
    imports: chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]),
  };
}

test('core, openhands and remote bundled for browsers need nothing of Node and no other package', async () => {
  expect(entries.length).toBeGreaterThanOrEqual(12);
  const { code, imports } = await bundleOf(entries);
  expect(imports).toEqual([]);
  expect([...code.matchAll(/(?:from|import|require)\s*\(?\s*['"](node:[^'"]+)['"]/g)].map(([, name]) => name)).toEqual(
    [],
  );
  expect(code).not.toMatch(/\bBuffer\.(?:from|alloc|concat)\b/);
  // the part for browsers, which shows that the condition was used
  expect(code).toContain('new WebSocket(');
  expect(code).not.toContain('headersTimeout');
});

import { rolldown } from 'rolldown';

/**
 * Bundles a module with the modules that it imports by relative paths. Resolves with the text of one ES module. Packages stay
 * imports.
 * @param {string} input the path of the module
 */
export async function bundleFile(input) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
    transform: { target: 'es2024' },
  });
  try {
    const { output } = await bundle.generate({ codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

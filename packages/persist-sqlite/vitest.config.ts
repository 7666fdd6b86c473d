import { defineConfig } from 'vitest/config';
import { strippedThreads } from './test/stripped-threads.ts';

// a second run, on another Node, asks whether it works there, and not once more how it fails
const include = process.env['CONV_SHORT'] ? ['test/{conformance,exports}.test.ts'] : ['test/**/*.test.ts'];

export default defineConfig({
  plugins: [strippedThreads()],
  test: {
    globalSetup: ['test/stripped-threads.ts'],
    isolate: false,
    include,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});

import { defineConfig } from 'vitest/config';

// a second run, on another Node, asks whether it works there, and not once more how it fails
const include = process.env['CONV_SHORT'] ? ['test/{conformance,exports}.test.ts'] : ['test/**/*.test.ts'];

export default defineConfig({
  test: {
    isolate: false,
    include,
    globalSetup: 'test/global-server.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});

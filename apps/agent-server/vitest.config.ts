import { defineConfig } from 'vitest/config';

// a second run, on another Node, asks whether each protocol and plugins work there
const include = process.env['CONV_SHORT'] ? ['test/{exports,protocols,plugins}.test.ts'] : ['test/**/*.test.ts'];

export default defineConfig({
  test: {
    isolate: false,
    include,
    setupFiles: ['test/clean-up.ts'],
    // long tests wait for processes most of their time
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});

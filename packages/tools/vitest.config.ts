import { defineConfig } from 'vitest/config';

// a second run, on another Node, is about what depends on it: terminals and processes
const include = process.env['CONV_SHORT']
  ? ['test/terminal/{terminal,hand-over,processes}.test.ts', 'test/exports.test.ts']
  : ['test/**/*.test.ts'];

// one file at a time: each test starts shells and servers of its own
export default defineConfig({
  test: {
    isolate: false,
    include,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});

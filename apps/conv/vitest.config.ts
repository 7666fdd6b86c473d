import { defineConfig } from 'vitest/config';

// Most of the tests start processes, on machines that are busy with other tests.
export default defineConfig({
  test: {
    isolate: false,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/clean-up.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

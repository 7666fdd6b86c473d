import { defineConfig } from 'vitest/config';

// Rounds are played in processes of their own, on a machine that may be busy.
export default defineConfig({
  test: {
    isolate: false,
    include: ['test/**/*.test.ts'],
    expect: { poll: { timeout: 100_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

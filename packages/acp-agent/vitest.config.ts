import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    expect: { poll: { timeout: 100_000 } },
    hookTimeout: 120_000,
    testTimeout: 120_000,
    include: ['test/**/*.test.ts'],
    isolate: false,
  },
});

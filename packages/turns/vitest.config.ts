import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    expect: { poll: { timeout: 100_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
  },
});

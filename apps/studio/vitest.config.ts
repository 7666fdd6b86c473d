import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    isolate: false,
    include: ['test/**/*.test.{ts,tsx}'],
    // long tests wait for browsers and servers most of their time
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // a page is polled while other tests keep the machine busy
    expect: { poll: { timeout: 100_000 } },
  },
});

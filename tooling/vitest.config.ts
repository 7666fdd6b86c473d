import { defineConfig } from 'vitest/config';

// Processes are started; on a busy machine each takes its time.
export default defineConfig({
  test: { isolate: false, include: ['test/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
});

import { defineConfig } from 'vitest/config';

// one file at a time: tests measure how long an interrupt takes
export default defineConfig({ test: { include: ['test/**/*.test.ts'], fileParallelism: false, testTimeout: 30_000 } });

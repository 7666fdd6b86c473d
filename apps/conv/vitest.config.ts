import { defineConfig } from 'vitest/config';

// Most of the tests start processes, on machines that are busy with other tests.
const limits = { maxWorkers: 2, testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 100_000 } } };
const include = ['test/**/*.test.ts'];

export default defineConfig({ test: { isolate: false, include, setupFiles: ['test/clean-up.ts'], ...limits } });

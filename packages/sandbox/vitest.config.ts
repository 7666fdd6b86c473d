import { defineConfig } from 'vitest/config';

// a busy machine may take long
const limits = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 100_000 } } };

export default defineConfig({ test: { isolate: false, include: ['test/**/*.test.ts'], ...limits } });

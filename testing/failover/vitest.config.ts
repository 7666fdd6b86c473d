import { defineConfig } from 'vitest/config';

// Rounds are played in processes of their own, on a machine that may be busy.
const limits = { testTimeout: 400_000, hookTimeout: 400_000, expect: { poll: { timeout: 100_000 } } };

export default defineConfig({ test: { isolate: false, include: ['test/**/*.test.ts'], ...limits } });

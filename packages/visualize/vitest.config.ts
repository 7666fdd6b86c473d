import { defineConfig } from 'vitest/config';

// polls wait as long as a test may take, because machines are busy
const limits = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 100_000 } } };

export default defineConfig({ test: { isolate: false, include: ['test/**/*.test.ts'], ...limits } });

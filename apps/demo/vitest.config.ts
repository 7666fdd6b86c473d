import { defineConfig } from 'vitest/config';

// Every test starts processes, on machines that are busy with other tests.
export default defineConfig({ test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } });

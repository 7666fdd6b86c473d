import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], globalSetup: 'test/global-server.ts', testTimeout: 30_000 },
});

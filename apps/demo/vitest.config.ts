import { defineConfig } from 'vitest/config';

// CI plays the job on a server by the command that people use.
const exclude = process.env['CONV_CI'] ? ['test/remote-job.test.ts'] : [];

// Every test starts processes, on machines that are busy with other tests.
export default defineConfig({
  // most of their time they wait for those processes
  test: {
    isolate: false,
    include: ['test/**/*.test.ts'],
    exclude,
    setupFiles: ['test/clean-up.ts'],
    maxWorkers: 2,
    // the whole job is a dozen processes
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});

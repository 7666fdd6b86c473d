import { defineConfig } from 'vitest/config';

// a second run, on another Node, asks whether it works there, and not once more how it fails
const include = process.env['CONV_SHORT'] ? ['test/{conformance,exports}.test.ts'] : ['test/**/*.test.ts'];

// the limit ends what hangs; no test measures time
export default defineConfig({
  test: { isolate: false, include, testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 100_000 } } },
});

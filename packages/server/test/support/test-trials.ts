import { MemoryRegistry } from '@conv/store-kit/registry';

import { trialRecords } from '../../src/logins/login-records.ts';
import type { McpTrialsOptions } from '../../src/logins/trials-options.ts';
import { testCipher } from './test-cipher.ts';

/** Trials at which no MCP server answers. */
export function testTrials(): McpTrialsOptions {
  return {
    attempt: async () => ({ kind: 'failed', reason: 'no server answers', why: 'connection' }),
    login: async () => ({ kind: 'lost' }),
    jobs: trialRecords(new MemoryRegistry(), testCipher),
  };
}

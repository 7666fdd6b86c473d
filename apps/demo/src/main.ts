#!/usr/bin/env node
import { runProgram } from '@conv/cli';

import { addJob } from './job-options.ts';

await runProgram({
  invocation: 'npm run demo --',
  defaultStore: 'fs:workspace/conversations',
  standIn: {
    model: 'openai/scripted-model',
    start: async () => {
      const { startBacktickModel } = await import('@conv/testing-model-server');
      return await startBacktickModel();
    },
  },
  extend: addJob,
});

// The commands with a script in place of a missing model: a program to be started by tests.
import { runProgram } from '@conv/cli';

await runProgram({
  invocation: 'conv',
  defaultStore: 'fs:workspace/conversations',
  standIn: {
    model: 'openai/scripted-model',
    // most of the hundreds of commands ask no model
    start: async () => (await import('@conv/testing-model-server')).startBacktickModel(),
  },
});

import type { Program } from '@conv/cli';

/** The commands with a script in place of a missing model. */
export const scripted: Program = {
  invocation: 'conv',
  defaultStore: 'fs:workspace/conversations',
  standIn: {
    model: 'openai/scripted-model',
    // most of the hundreds of commands ask no model
    start: async () => (await import('@conv/testing-model-server')).startBacktickModel(),
  },
};

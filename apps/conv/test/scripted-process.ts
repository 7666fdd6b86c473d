// The commands with a script in place of a missing model: a program to be started by tests.
import { runProgram } from '@conv/cli';
import { BACKTICK_MODEL, startBacktickModel } from '@conv/testing-model-server';

await runProgram({
  invocation: 'conv',
  defaultStore: 'fs:workspace/conversations',
  standIn: { model: BACKTICK_MODEL, start: startBacktickModel },
});

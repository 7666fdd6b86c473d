// The commands with a script in place of a missing model: a program to be started by tests.
import { runProgram } from '@conv/cli';

import { scripted } from './scripted.ts';

await runProgram(scripted);

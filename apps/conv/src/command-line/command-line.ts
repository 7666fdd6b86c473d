import { Command } from 'commander';

import { type ExitCode, exitCodesHelp } from '../exit-code.ts';
import type { Program } from '../program.ts';
import { programVersion } from '../version.ts';
import { addChat } from './add-chat.ts';
import { addKeeping } from './add-keeping.ts';
import { addReading } from './add-reading.ts';
import { addRunning } from './add-running.ts';
import { addServing } from './add-serving.ts';
import { fitHelp } from './help-form.ts';
import { requireLate } from './require-late.ts';
import { requireStore } from './require-store.ts';

/**
 * The commands of the program. `ended` receives the exit code of the command that ran. Each command is loaded when it is asked for: help and
 * wrong arguments need none.
 */
export function commandLine(program: Program, ended: (exitCode: ExitCode) => void): Command {
  const root = new Command('conv');
  fitHelp(root);
  root
    .description('Durable conversations with an agent.')
    .usage('[options] [command]')
    .version(programVersion(), '--version', 'print the version')
    .addHelpText('after', modelHelp(program) + exitCodesHelp)
    .showHelpAfterError('(--help lists commands and exit codes)')
    .exitOverride();
  requireStore(root);
  program.extend?.(root, ended);
  addChat(root, program, ended);
  addRunning(root, program, ended);
  addReading(root, program, ended);
  addKeeping(root, program, ended);
  addServing(root, program, ended);
  requireLate(root);
  root
    .command('exit-codes', { hidden: true })
    .description('List the exit codes of all commands.')
    .addHelpText('after', exitCodesHelp)
    .action((_options, command: Command) => command.help());
  return root;
}

function modelHelp({ standIn }: Program): string {
  const scripted = standIn
    ? 'Without LLM_MODEL a script answers, behind a real OpenAI-compatible server on loopback.\n'
    : '';
  return `
The model comes from LLM_MODEL (openai/…, anthropic/…, gemini/…), LLM_API_KEY and LLM_BASE_URL.
${scripted}With OH_SECRET_KEY, keys and secrets are stored encrypted. Without it they are not stored, so pass them again to resume.
`;
}

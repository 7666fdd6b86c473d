import { type Command, Option } from 'commander';

import type { Program } from '../program.ts';
import type { Ended } from './ended.ts';
import { withAgent } from './options.ts';

/** Adds the commands to talk with an agent: in the terminal, and in an editor. */
export function addChat(root: Command, program: Program, ended: Ended): void {
  withPolicy(withAgent(root, program, 'chat'))
    .description('talk with an agent in the terminal; piped, answer the message of standard input')
    .argument('[id]', 'id of a conversation, or the start of it (default: a new one), or - as below')
    .argument('[-]', 'read one message from standard input, and print only the answer')
    .option('--last', 'reopen the conversation that changed last')
    .option('--workspace <dir>', 'folder for the agent of a new conversation (default: the current folder)')
    .action(async (id, dash, options) =>
      ended(await (await import('../commands/chat.ts')).chatCommand(id, dash, options, program)),
    );
  withPolicy(withAgent(root, program, 'acp'))
    .description('serve a code editor on standard input and output, with the Agent Client Protocol')
    .option('--workspace <dir>', "folder for the agent of a new session (default: the editor's folder)")
    .action(async (options) => ended(await (await import('../commands/acp.ts')).acpCommand(options, program)));
}

function withPolicy(command: Command): Command {
  return command.addOption(
    new Option('--policy <name>', 'calls that wait for you (default: risky in a new conversation)')
      .choices(['never', 'risky', 'always'])
      .conflicts(['confirm', 'confirmRisky']),
  );
}

import { type Command, Option } from 'commander';

import type { Program } from '../program.ts';
import type { Ended } from './ended.ts';
import { withAgent } from './options.ts';

/** Adds the command to talk with an agent. */
export function addChat(root: Command, program: Program, ended: Ended): void {
  withAgent(root, program, 'chat')
    .description('talk with an agent in the terminal; piped, answer the message of standard input')
    .argument('[id]', 'id of a conversation, or the start of it (default: a new one), or - as below')
    .argument('[-]', 'read one message from standard input, and print only the answer')
    .option('--last', 'reopen the conversation that changed last')
    .option('--workspace <dir>', 'folder for the agent of a new conversation (default: the current folder)')
    .addOption(
      new Option('--policy <name>', 'calls that wait for you (default: risky in a new conversation)')
        .choices(['never', 'risky', 'always'])
        .conflicts(['confirm', 'confirmRisky']),
    )
    .action(async (id, dash, options) =>
      ended(await (await import('../commands/chat.ts')).chatCommand(id, dash, options, program)),
    );
}

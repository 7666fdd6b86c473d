import { type Command, Option } from 'commander';

import type { Program } from '../program.ts';
import type { Ended } from './ended.ts';
import { anywhere, ID } from './options.ts';
import { wholeNumber } from './values.ts';

/** Adds the commands that look at conversations. */
export function addReading(root: Command, program: Program, ended: Ended): void {
  anywhere(root, program, 'list')
    .description('list conversations, the last changed first')
    .option('--json', 'print JSON')
    .action(async (options) => ended(await (await import('../commands/list.ts')).listCommand(options)));
  anywhere(root, program, 'show')
    .description('show state and events, now or at an earlier event')
    .argument('<id>', ID)
    .option('--at <n>', 'show the conversation after the event with this number', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id, options) => ended(await (await import('../commands/show.ts')).showCommand(id, options)));
  anywhere(root, program, 'replay')
    .description('replay a conversation as it looked; runs nothing')
    .argument('<id>', ID)
    .option('--json', 'print one line of JSON for each event')
    .action(async (id, options) => ended(await (await import('../commands/replay.ts')).replayCommand(id, options)));
  anywhere(root, program, 'messages')
    .description('show the next request to the model')
    .argument('<id>', ID)
    .addOption(new Option('--format <format>', 'form of the messages').choices(['chat', 'responses']).default('chat'))
    .action(async (id, options) => ended(await (await import('../commands/messages.ts')).messagesCommand(id, options)));
  anywhere(root, program, 'diagram')
    .description('print a Mermaid diagram of messages and calls')
    .argument('<id>', ID)
    .option('--tree', 'draw all events with their branches')
    .action(async (id, options) => ended(await (await import('../commands/diagram.ts')).diagramCommand(id, options)));
  anywhere(root, program, 'export')
    .description('write a conversation into one file that opens in a browser')
    .argument('<id>', ID)
    .requiredOption('--html <file>', 'file to write; it is replaced')
    .action(async (id, options) => ended(await (await import('../commands/export.ts')).exportCommand(id, options)));
}

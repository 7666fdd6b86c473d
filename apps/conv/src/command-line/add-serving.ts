import type { Command } from 'commander';

import type { Program } from '../program.ts';
import type { Ended } from './ended.ts';
import { anywhere, sandboxHostOption, sandboxOption, sandboxReadOption } from './options.ts';
import { wholeNumber } from './values.ts';

/** Adds the commands that start a server or studio, each a package of its own. */
export function addServing(root: Command, program: Program, ended: Ended): void {
  root
    .command('serve')
    .description('start an agent server; its options are those of conv-server, see conv serve --help')
    .usage('[options of conv-server]')
    .argument('[options...]')
    // the options are the server's, help too
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_given, _options, { args }: Command) =>
      ended(await (await import('../commands/serve.ts')).serveCommand(args, program)),
    );
  anywhere(root, program, 'studio')
    .description('look at conversations in the browser')
    .argument('[place]', 'address of a store, or URL of a server')
    .option('--server-key-file <file>', 'file whose first line is the key of the server')
    .option('--port <n>', 'port on this machine; 0: any free port', wholeNumber)
    .option('--no-open', 'do not open the browser')
    .option('--read-only', 'take no commands')
    .addOption(sandboxOption())
    .addOption(sandboxReadOption())
    .addOption(sandboxHostOption())
    .action(async (place, options, command: Command) => {
      const other = ['store', 'server'].find((name) => command.getOptionValueSource(name) === 'cli');
      if (place !== undefined && other !== undefined)
        command.error(`error: expected one place, found ${place} and option '--${other}'; leave out one of them`);
      ended(await (await import('../commands/studio.ts')).studioCommand(place, options));
    });
}

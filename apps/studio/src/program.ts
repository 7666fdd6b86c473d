import process from 'node:process';
import { Command, Option } from 'commander';

import { parsePort } from './parse-port.ts';
import { studioVersion } from './server/studio-version.ts';

/** Runs the program `conv-studio` with the arguments of the process. */
export async function runProgram(): Promise<void> {
  await new Command('conv-studio')
    .description('Shows conversations in the browser, from a store or from an agent server.')
    .version(studioVersion())
    .argument(
      '[place]',
      'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX or http://SERVER (default: your own store)',
    )
    .option('--port <number>', 'port on this machine; 0: any free port (default: 4780)', parsePort)
    .option('--no-open', 'do not open the browser')
    .option('--read-only', 'take no commands')
    .addOption(
      new Option(
        '--sandbox <mode>',
        'what confines agents: auto, on, closed (on, and without network) or off (default: auto)',
      ).choices(['auto', 'on', 'closed', 'off']),
    )
    .addOption(
      new Option('--sandbox-read <path>', 'folder or file that agents in a sandbox read as well; repeatable').argParser(
        collect,
      ),
    )
    .addOption(
      new Option(
        '--sandbox-host <name>',
        'only host that agents in a sandbox reach, as example.org or *.example.org:443; repeatable',
      ).argParser(collect),
    )
    .option('--server-key <variable>', 'environment variable with the key of the server (default: OH_SESSION_API_KEY)')
    .option('--server-key-file <file>', 'file whose first line is the key of the server')
    // for programs with a default store of their own
    .addOption(new Option('--may-begin', 'accept a store that does not exist yet').hideHelp())
    .addHelpText(
      'after',
      '\nOver a store the agent is that of LLM_MODEL, LLM_API_KEY and LLM_BASE_URL; without a model studio is read-only.',
    )
    // wrong arguments end as wrong settings do
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (place: string | undefined, options: object) => {
      const { serve } = await import('./serve.ts');
      await serve(place, options);
    })
    .parseAsync();
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

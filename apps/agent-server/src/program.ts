import process from 'node:process';

import { Command } from 'commander';

import type { KeyOptions } from './commands/keys.ts';
import type { Sources } from './configuration/read-configuration.ts';
import { serverVersion } from './server-version.ts';

/** Options of the command line whose names are not those of the settings. */
type GivenOptions = Sources['options'] & { readonly studio?: string; readonly sandboxHost?: readonly string[] };

/** Runs `conv-server` with the arguments of this process. Each command is loaded when it is asked for: help and wrong arguments need none. */
export async function runServerProgram(): Promise<void> {
  const program = new Command('conv-server')
    .version(serverVersion(), '--version', 'print the version')
    .description('Serves durable conversations with agents over HTTP and WebSocket, in the protocol of OpenHands.')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1; other addresses need a key)')
    .option('--port <number>', 'port to listen on (default: 8000; 0: any free port)')
    .option(
      '--store <address>',
      'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX (default: fs:workspace/conversations)',
    )
    .option('--server-url <url>', 'URL of this server for the other servers on the same store; joins their fleet')
    .option('--public-url <url>', 'URL of this server for browsers, which come back to it from logins at MCP servers')
    .option('--session-keys-file <file>', 'file with session keys, one per line (default: a generated token)')
    .option('--approver-keys-file <file>', 'file with approver keys, one per line (default: session keys approve)')
    .option('--oidc <file>', 'JSON file of a login: issuer, audience and roles, whose tokens open the server as well')
    .option('--secret-key-file <file>', 'file with the key that encrypts secrets; earlier keys in further lines')
    .option(
      '--sandbox <mode>',
      'what confines agents: auto, on, closed (on, and without network) or off (default: auto)',
    )
    .option('--sandbox-read <paths...>', 'folders and files that agents in the sandbox read as well')
    .option(
      '--sandbox-host <names...>',
      'only hosts that agents in the sandbox reach, as example.org or *.example.org:443',
    )
    .option(
      '--sandbox-outside <when>',
      'ask lets agents ask a person to run one command outside of the sandbox (default: never)',
    )
    .option(
      '--runtimes <names...>',
      'where tools of conversations may act, the default first: local, sandbox, docker (default: local)',
    )
    .option('--container-image <image>', 'image of the containers of the runtime docker, with this program in it')
    .option(
      '--protocols <names...>',
      'protocols beside its own: openai, ai-ui, ag-ui, a2a, mcp, or none (default: all of them)',
    )
    .option('--executor', 'only run commands and change files, for conversations elsewhere (executeIn)')
    .option('--studio <folder>', 'folder of the built page of @conv/studio, served at /studio/ (default: no page)')
    .option('--config <file>', 'JSON file with settings')
    .addHelpText(
      'after',
      '\nOptions override the environment, which overrides the file of --config. README.md lists all settings.',
    )
    // wrong arguments end as wrong settings do
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async ({ studio, sandboxHost, ...options }: GivenOptions) =>
      (await import('./commands/serve.ts')).serve({ ...options, sandboxHosts: sandboxHost, studioFolder: studio }),
    );

  program
    .command('token')
    .description('Makes a new token for a server without keys; valid from its next start.')
    .action(async () => (await import('./commands/token.ts')).makeToken(program.opts()));

  const keys = program
    .command('keys')
    .description(
      'Adds, lists and revokes keys with names, and rotates the secret key; a running server follows within a second.',
    );
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  keys
    .command('add <name>')
    .description('Makes a key and prints it. The server stores only its hash.')
    .requiredOption('--scope <scope>', 'read, run, approve or admin; may be repeated', collect)
    .option('--owner-only', 'only conversations that this key starts, and their forks')
    .option('--tag <key=value>', 'only conversations with this tag; may be repeated', collect)
    .option('--folder <path>', 'new conversations only in or below this folder; may be repeated', collect)
    .option('--runs-per-day <number>', 'only this many runs on one day, UTC (default: any number)')
    .option(
      '--cost-per-day <dollars>',
      'only this much for models on one day, UTC, in US dollars (default: any amount)',
    )
    .option('--expires <time>', 'time for which it is valid, such as 12h or 30d (default: until it is revoked)')
    .option('--replace', 'give a name that has a key already a new key; its conversations stay its own')
    .action(async (name: string, options: KeyOptions) =>
      (await import('./commands/keys.ts')).addNamedKey(program.opts(), name, options),
    );
  keys
    .command('list')
    .description('Lists the keys, without the keys themselves.')
    .option('--json', 'one JSON object in each line')
    .action(async ({ json = false }: { readonly json?: boolean }) =>
      (await import('./commands/keys.ts')).listNamedKeys(program.opts(), json),
    );
  keys
    .command('revoke <name>')
    .description('Makes a key void, and ends its sockets.')
    .action(async (name: string) => (await import('./commands/keys.ts')).revokeNamedKey(program.opts(), name));

  keys
    .command('rotate')
    .description(
      'Encrypts every secret with the newest secret key; continues after an interruption when it is run again.',
    )
    .action(async () => (await import('./commands/rotate-keys.ts')).rotateKeys(program.opts()));

  program
    .command('logins')
    .description('Removes logins at MCP servers.')
    .command('forget')
    .description(
      'Removes the logins of all people at MCP servers, used or not; those that are used are asked for again.',
    )
    .action(async () => (await import('./commands/logins.ts')).forgetLogins(program.opts()));

  program
    .command('audit [conversation]')
    .description(
      'Prints who approved and rejected which actions, and what policies let run: one JSON object in each line.',
    )
    .action(async (conversation: string | undefined) =>
      (await import('./commands/audit.ts')).printAuditTrail(program.opts(), conversation),
    );

  await program.parseAsync();
}

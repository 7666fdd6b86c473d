import process from 'node:process';

import { Command } from 'commander';

import type { Sources } from './configuration/read-configuration.ts';

// each command is loaded when it is asked for: help and wrong arguments need none
const program = new Command('conv-agent-server')
  .description('Serves durable conversations with agents over HTTP and WebSocket, in the protocol of OpenHands.')
  .option('--host <address>', 'address to listen on (default: 127.0.0.1; other addresses need a key)')
  .option('--port <number>', 'port to listen on (default: 8000; 0: any free port)')
  .option(
    '--store <address>',
    'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX (default: fs:workspace/conversations)',
  )
  .option('--server-url <url>', 'URL of this server for the other servers on the same store; joins their fleet')
  .option('--session-keys-file <file>', 'file with session keys, one per line (default: a generated token)')
  .option('--approver-keys-file <file>', 'file with approver keys, one per line (default: session keys approve)')
  .option('--secret-key-file <file>', 'file with the key that encrypts secrets; earlier keys in further lines')
  .option('--config <file>', 'JSON file with settings')
  .addHelpText(
    'after',
    '\nOptions override the environment, which overrides the file of --config. README.md lists all settings.',
  )
  // wrong arguments end as wrong settings do
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(async (options: Sources['options']) => (await import('./commands/serve.ts')).serve(options));

program
  .command('token')
  .description('Makes a new token for a server without keys; valid from its next start.')
  .action(async () => (await import('./commands/token.ts')).makeToken(program.opts()));

await program.parseAsync();

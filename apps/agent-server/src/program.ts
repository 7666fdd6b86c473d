import { Command } from 'commander';

import type { Sources } from './configuration/read-configuration.ts';

// each command is loaded when it is asked for: help and wrong arguments need none
const program = new Command('conv-agent-server')
  .description(
    'Holds conversations with agents and offers them over HTTP and WebSocket, as OpenHands clients speak them.',
  )
  .option('--host <address>', 'where to listen (default: 127.0.0.1; others need a key)')
  .option('--port <number>', 'default 8000; 0: any free one')
  .option('--store <address>', 'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX (default: a folder)')
  .option('--server-url <url>', 'how other servers on the same store reach this one; makes it one of many')
  .option('--session-keys-file <file>', 'keys that open the server, one a line (default: it makes a token)')
  .option('--approver-keys-file <file>', 'keys that may approve, one a line (default: session keys may)')
  .option('--secret-key-file <file>', 'file with the key that encrypts secrets; further lines hold earlier keys')
  .option('--config <file>', 'settings as JSON')
  .addHelpText(
    'after',
    '\nSettings come from these options, else from the environment, else from the file; README.md lists them.',
  )
  .action(async (options: Sources['options']) => (await import('./commands/serve.ts')).serve(options));

program
  .command('token')
  .description('Makes another token for a server without keys, which takes it when it is started again.')
  .action(async () => (await import('./commands/token.ts')).makeToken(program.opts()));

await program.parseAsync();

import process from 'node:process';

import { plainText } from '@conv/core';
import { Command } from 'commander';

import { type RunningServer, startAgentServer } from './agent-server.ts';
import { type Configuration, ConfigurationError } from './configuration/configuration.ts';
import { readConfiguration, type Sources } from './configuration/read-configuration.ts';
import { messageOf } from './error-description.ts';
import { LivingVaults } from './living-vaults.ts';
import { createLog } from './log.ts';
import { makeSessionToken } from './session-token.ts';
import { startTracing } from './tracing/tracing.ts';
import { keysShownBy } from './start/shown-keys.ts';

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
  .option('--secret-key-file <file>', 'the key that encrypts secrets; on further lines those that were in use before')
  .option('--config <file>', 'settings as JSON')
  .addHelpText(
    'after',
    '\nSettings come from these options, else from the environment, else from the file; README.md lists them.',
  )
  .action(serve);

program
  .command('token')
  .description('Makes another token for a server without keys, which takes it when it is started again.')
  .action(() => makeToken(program.opts()));

await program.parseAsync();

async function makeToken(options: Sources['options']): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  const { settingsFolder, host, port } = configuration;
  const { made } = await makeSessionToken(settingsFolder);
  showLink(`http://${host}:${port}`, made);
  process.stdout.write('A server that is running takes it when it is started again.\n');
}

/** The settings; `undefined` for wrong ones, which were told. */
async function configurationOf(options: Sources['options']): Promise<Configuration | undefined> {
  try {
    return await readConfiguration({ options, environment: process.env });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${plainText(error.message)}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

function showLink(url: string, token: string): void {
  const text = [
    `Open ${url}/?token=${token}`,
    'Programs send the token as X-Session-API-Key. It is shown only now: the server keeps nothing but a hash of it.',
  ];
  process.stdout.write(`${text.join('\n')}\n`);
}

async function serve(options: Sources['options']): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  const vaults = new LivingVaults();
  const log = createLog(configuration, vaults.mask);
  logFaults(log);
  try {
    const tracing = await startTracing(process.env, log);
    const server = await startAgentServer(configuration, { log, vaults, tracing });
    log.info({ url: server.url, store: configuration.store.replace(/\/\/.*@/, '//') }, 'listening');
    const names = keysShownBy(process.ppid);
    if (names.length > 0)
      log.warn(
        { names, process: process.ppid },
        'the process that started this server shows its keys: give them in files',
      );
    if (server.token !== undefined) showLink(server.url, server.token);
    endAtSignals(server, configuration, log);
  } catch (error) {
    log.fatal({ reason: messageOf(error) }, 'could not start');
    log.debug({ err: error }, 'where it failed');
    process.exitCode = 1;
  }
}

/** What Node would write to standard error, secrets and all. */
function logFaults(log: ReturnType<typeof createLog>): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'warning'));
  process.on('uncaughtException', (error: unknown) => {
    log.fatal({ err: error }, 'a fault of this program');
    process.exit(1);
  });
}

/** The first signal ends everything in order, a second one at once. */
function endAtSignals(
  server: RunningServer,
  { shutdownSeconds: seconds, serverUrl }: Configuration,
  log: ReturnType<typeof createLog>,
): void {
  const next = serverUrl === undefined ? 'the next start' : 'the other servers';
  let ending = false;
  const end = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(130);
    ending = true;
    log.info({ signal }, `stopping: runs are left to ${next}, everything is stored`);
    const late = setTimeout(() => {
      log.error({ seconds }, 'not stopped in time');
      process.exit(1);
    }, seconds * 1000);
    server.close().then(
      () => {
        clearTimeout(late);
        log.info('stopped');
      },
      (error: unknown) => {
        log.error({ err: error }, 'stopped with an error');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

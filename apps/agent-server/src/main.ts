#!/usr/bin/env node
import process from 'node:process';

import { parseStoreAddress, StoreAddressError } from '@conv/stores';
import { Command } from 'commander';

import { type RunningServer, startAgentServer } from './agent-server.ts';
import { type Configuration, ConfigurationError } from './configuration/configuration.ts';
import { readConfiguration, type Sources } from './configuration/read-configuration.ts';
import { messageOf } from './error-description.ts';
import { LivingVaults } from './living-vaults.ts';
import { createLog } from './log.ts';
import { startTracing } from './tracing/tracing.ts';

const program = new Command('conv-agent-server')
  .description(
    'Holds conversations with agents and offers them over HTTP and WebSocket, as OpenHands clients speak them.',
  )
  .option('--host <address>', 'where to listen (default: 127.0.0.1, with a key everywhere)')
  .option('--port <number>', 'default 8000; 0: any free one')
  .option('--store <address>', 'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX (default: a folder)')
  .option('--server-url <url>', 'how other servers on the same store reach this one; makes it one of many')
  .option('--config <file>', 'settings as JSON')
  .addHelpText(
    'after',
    '\nSettings come from these options, else from the environment, else from the file; README.md lists them.',
  )
  .action(serve);

await program.parseAsync();

async function serve(options: Sources['options']): Promise<void> {
  let configuration;
  try {
    configuration = await readConfiguration({ options, environment: process.env });
    parseStoreAddress(configuration.store);
  } catch (error) {
    if (!(error instanceof ConfigurationError) && !(error instanceof StoreAddressError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const vaults = new LivingVaults();
  const log = createLog(configuration, vaults.mask);
  logFaults(log);
  try {
    const tracing = await startTracing(process.env, log);
    const server = await startAgentServer(configuration, { log, vaults, tracing });
    log.info({ url: server.url, store: configuration.store.replace(/\/\/.*@/, '//') }, 'listening');
    if (configuration.sessionKeys.length === 0) log.warn('no key is set: whoever reaches this address may use it');
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
  const runs = serverUrl === undefined ? 'interrupted' : 'handed over';
  let ending = false;
  const end = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(130);
    ending = true;
    log.info({ signal }, `stopping: runs are ${runs}, everything is stored`);
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

import process from 'node:process';

import { startAgentServer } from '../agent-server.ts';
import type { RunningServer } from '../running-server.ts';
import type { Configuration } from '../configuration/effective-configuration.ts';
import { messageOf } from '../error-description.ts';
import { isStrongKey, WEAK_KEY } from '../configuration/strong-key.ts';
import { LivingVaults } from '../living-vaults.ts';
import { createLog } from '../log.ts';
import { letProgramsGoFirst } from '../start/let-programs-go-first.ts';
import { openingsOf } from '../start/openings.ts';
import { keysShownBy } from '../start/shown-keys.ts';
import { Visits } from '../start/visits.ts';
import { collectorKeys } from '../tracing/collector-keys.ts';
import { startTracing } from '../tracing/tracing.ts';
import { serverVersion } from '../server-version.ts';
import { showLink, showToken } from './show-link.ts';

/** Starts a server that ends at the first signal. Sets the exit code when it cannot start. */
export async function serveConfigured(configuration: Configuration): Promise<void> {
  const vaults = new LivingVaults();
  vaults.hide(collectorKeys(process.env));
  const log = createLog(configuration, vaults.mask);
  logFaults(log);
  letProgramsGoFirst();
  log.info({ version: serverVersion(), node: process.versions.node }, 'starting');
  if (configuration.secretKey !== undefined && !isStrongKey(configuration.secretKey))
    log.warn(`the secret key is weak: ${WEAK_KEY}; put it in front of the old one in the file of secret keys`);
  try {
    const tracing = await startTracing(process.env, log);
    const visits = new Visits();
    const server = await startAgentServer(configuration, { log, vaults, tracing, visited: () => visits.note() });
    // set before `listening` is logged, because a program that waits for that line may send a signal at once
    endAtSignals(server, configuration, log);
    endAbandoned(visits, configuration, log);
    log.info({ url: server.url, ...roleOf(configuration) }, 'listening');
    for (const opening of openingsOf(configuration)) log.warn({ opening }, 'opened by its settings');
    for (const name of KEEPS_ALL.filter((each) => (process.env[each] ?? '') !== ''))
      log.warn({ name }, 'has no effect: this server deletes nothing of a conversation by itself');
    const names = keysShownBy(process.ppid);
    if (names.length > 0)
      log.warn(
        { names, process: process.ppid },
        'the parent process of this server exposes its keys; pass them in files',
      );
    // later starts show a link only on a terminal, because the output of a service is a log
    const link = server.token !== undefined || process.stdout.isTTY ? server.startLink() : undefined;
    if (link !== undefined) showLink(link);
    if (server.token !== undefined) showToken(server.token);
  } catch (error) {
    log.fatal({ reason: messageOf(error) }, 'could not start');
    log.debug({ err: error }, 'where it failed');
    process.exitCode = 1;
  }
}

/** Variables of OpenHands' server that would delete homes and workspaces of idle conversations. */
const KEEPS_ALL = ['OH_CONVERSATION_STORAGE_RETENTION_DAYS', 'OH_CONVERSATION_STORAGE_DISK_BUDGET'];

/** Returns what the server does, for the log. */
function roleOf({ executor, deferredInit, store }: Configuration): object {
  if (executor) return { executor };
  return deferredInit ? { waitsFor: 'POST /api/init' } : { store: store.replace(/\/\/.*@/, '//') };
}

/** Logs warnings and uncaught errors, which Node would write to standard error with their secrets. */
function logFaults(log: ReturnType<typeof createLog>): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'warning'));
  process.on('uncaughtException', (error: unknown) => {
    log.fatal({ err: error }, 'internal error');
    process.exit(1);
  });
}

/** Ends everything in order when no program comes any more, because the program that started this server was killed. */
function endAbandoned(
  visits: Visits,
  { abandonedSeconds: seconds }: Configuration,
  log: ReturnType<typeof createLog>,
): void {
  if (seconds === undefined) return;
  visits.watch(seconds * 1000, () => {
    log.warn({ seconds }, 'abandoned: no request with a key for this long');
    process.kill(process.pid, 'SIGTERM');
  });
}

/** The first signal ends everything in order, a second one at once. */
function endAtSignals(
  server: RunningServer,
  { shutdownSeconds: seconds, serverUrl, executor }: Configuration,
  log: ReturnType<typeof createLog>,
): void {
  const next = serverUrl === undefined ? 'the next start' : 'the other servers';
  let ending = false;
  const end = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(130);
    ending = true;
    log.info({ signal }, executor ? 'stopping' : `stopping: ${next} will continue the runs, everything is stored`);
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

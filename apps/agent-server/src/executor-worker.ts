import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

import { createSecretVault } from '@conv/secrets';
import { executorServer } from '@conv/server';
import { type KeyDigests } from '@conv/server/access';
import { executorTools, shellEnvironment } from '@conv/tools';
import Fastify from 'fastify';

/** Settings of the executor of a conversation, which its server writes as a line to its standard input. */
export interface WorkerSettings {
  /** The path of the socket at which it listens. */
  readonly socket: string;
  /** Digests of the key that opens it, which it need not know. */
  readonly digests: KeyDigests;
  readonly workingDirectory: string;
  /** The folder for output that is too long for the log. */
  readonly sideDirectory: string;
}

/**
 * The executor of one conversation, as the process that a server starts in a sandbox. It says `ready` in a line when it takes requests,
 * and ends with its server: at the end of its standard input.
 */
const { socket, digests, workingDirectory, sideDirectory } = await readSettings();
const app = Fastify({ requestTimeout: 0, pluginTimeout: 0 });
await app.register(
  executorServer({
    executor: executorTools({ secrets: createSecretVault, sideDirectory: () => sideDirectory }),
    workspaceHost: { workingDirectory, environment: shellEnvironment(), allowedFolders: [workingDirectory] },
    sessionKeyDigests: [digests],
    report: (error, { doing }) => void process.stderr.write(`${doing}: ${error instanceof Error ? error.stack : ''}\n`),
  }),
);
await app.listen({ path: socket });
process.stdout.write('ready\n');

async function readSettings(): Promise<WorkerSettings> {
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => process.exit(0));
  const [line] = (await once(lines, 'line')) as [string];
  return JSON.parse(line) as WorkerSettings;
}

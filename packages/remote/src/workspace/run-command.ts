import { ConversationError } from '@conv/core';
import { Backoff } from '@conv/core/platform';
import { bashRoutes } from '@conv/openhands/rest';

import { callRoute } from '../transport/call-route.ts';
import { checkTime } from '../transport/check-input.ts';
import type { ServerClient } from '../transport/server-client.ts';

/** Options of a command. */
export interface CommandOptions {
  /** Default: the folder of the workspace. */
  readonly cwd?: string;
  /** Milliseconds after which the server kills it, rounded to whole seconds. Default 30 s. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Result of a command. */
export interface CommandResult {
  /** -1 after the timeout. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Number of outputs per page. */
const PAGE = 100;

/** Runs a command on a server and collects its output. */
export async function runCommand(
  client: ServerClient,
  command: string,
  { cwd, timeout, signal }: CommandOptions,
): Promise<CommandResult> {
  const seconds = Math.max(1, Math.ceil(checkTime('timeout', timeout, 30_000) / 1000));
  const body = { command, timeout: seconds, ...(cwd === undefined ? {} : { cwd }) };
  const { id } = await callRoute(client, bashRoutes.start, { body }, { signal });
  if (id === undefined) throw senseless('id of a command');
  const delays = new Backoff(client.platform, { first: 50, most: 500 });
  const output = { stdout: '', stderr: '', order: -1 };
  for (;;) {
    const exitCode = await collect(client, id, output, signal);
    if (exitCode !== undefined) return { exitCode, stdout: output.stdout, stderr: output.stderr };
    await delays.wait({ signal });
  }
}

/** Collects the output since the last call; resolves with the exit code once there is one. */
async function collect(
  client: ServerClient,
  commandId: string,
  output: { stdout: string; stderr: string; order: number },
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  for (;;) {
    const query = {
      command_id__eq: commandId,
      kind__eq: 'BashOutput',
      sort_order: 'TIMESTAMP',
      limit: PAGE,
      order__gt: output.order < 0 ? undefined : output.order,
    } as const;
    const { items } = await callRoute(client, bashRoutes.search, { query }, { signal });
    if (!items) throw senseless('page of outputs');
    for (const item of items) {
      if (item.kind !== 'BashOutput' || item.order <= output.order) continue;
      output.order = item.order;
      output.stdout += item.stdout ?? '';
      output.stderr += item.stderr ?? '';
      if (item.exit_code !== null) return item.exit_code;
    }
    if (items.length < PAGE) return undefined;
  }
}

function senseless(what: string): ConversationError {
  return new ConversationError(
    'SERVER_FAILED',
    `expected ${what} from the server, found something else; update the server or this client`,
  );
}

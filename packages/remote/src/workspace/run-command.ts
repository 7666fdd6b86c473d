import { ConversationError } from '@conv/core';
import type { JsonObject } from '@conv/core/events';

import { checkTime } from '../transport/check-input.ts';
import { Backoff, wait } from '../transport/backoff.ts';
import type { ServerClient } from '../transport/server-client.ts';

/** How a command is run. */
export interface CommandOptions {
  /** Default: the folder of the workspace. */
  readonly cwd?: string;
  /** Milliseconds after which the server kills it, in whole seconds. Default 30 s. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** What a command did. */
export interface CommandResult {
  /** -1 when its time was up. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Outputs a page. */
const PAGE = 100;

/** Runs a command on a server and collects what it writes. */
export async function runCommand(
  client: ServerClient,
  command: string,
  { cwd, timeout, signal }: CommandOptions,
): Promise<CommandResult> {
  const seconds = Math.max(1, Math.ceil(checkTime('timeout', timeout, 30_000) / 1000));
  const json = { command, timeout: seconds, ...(cwd === undefined ? {} : { cwd }) };
  const started = await client.json({ method: 'POST', path: '/api/bash/start_bash_command', json, signal });
  const { id } = objectOf(started);
  if (typeof id !== 'string') throw senseless('id of a command');
  const delays = new Backoff({ first: 50, most: 500 });
  const output = { stdout: '', stderr: '', order: -1 };
  for (;;) {
    const exitCode = await collect(client, id, output, signal);
    if (exitCode !== undefined) return { exitCode, stdout: output.stdout, stderr: output.stderr };
    await wait(delays.next(), signal);
  }
}

/** Takes in what was written since; resolves with the exit code once there is one. */
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
    };
    const { items } = objectOf(
      await client.json({ method: 'GET', path: '/api/bash/bash_events/search', query, signal }),
    );
    if (!Array.isArray(items)) throw senseless('page of outputs');
    for (const item of items.map(objectOf)) {
      if (typeof item['order'] !== 'number' || item['order'] <= output.order) continue;
      output.order = item['order'];
      output.stdout += textOf(item['stdout']);
      output.stderr += textOf(item['stderr']);
      if (typeof item['exit_code'] === 'number') return item['exit_code'];
    }
    if (items.length < PAGE) return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw senseless('object');
}

function senseless(what: string): ConversationError {
  return new ConversationError('SERVER_FAILED', `the server answered with what is no ${what}`);
}

import { ConversationError } from '@conv/core';
import { Backoff, timers, type Platform } from '@conv/core/platform';
import { serverRoutes } from '@conv/openhands/rest';

import type { EngineClient } from '../engine/engine-client.ts';

/** A container whose server starts. */
export interface StartingContainer {
  readonly id: string;
  readonly name: string;
  /** Address of its server. */
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds within which it must be ready. */
  readonly timeout: number;
}

/**
 * Waits until the server in a container is ready. Rejects `SERVER_FAILED` if the container has ended, `UNREACHABLE` after the timeout;
 * both show the last lines of its log.
 */
export async function waitUntilReady(
  platform: Platform,
  engine: EngineClient,
  container: StartingContainer,
): Promise<void> {
  using deadline = timers.deadline(platform, container.timeout, { signal: container.signal, background: false });
  const delays = new Backoff(platform, { first: 20, most: 200 });
  try {
    while (!(await isReady(container.url, deadline))) {
      await refuseEnded(engine, container, deadline);
      await delays.wait({ signal: deadline });
    }
  } catch (error) {
    container.signal?.throwIfAborted();
    if (!deadline.aborted) throw error;
    throw new ConversationError(
      'UNREACHABLE',
      `expected the server in the container ${container.name} to be ready within ${container.timeout} ms; give a longer startTimeout${await logOf(engine, container)}`,
      { cause: error },
    );
  }
}

async function isReady(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(url + serverRoutes.getReady.path, { signal });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function refuseEnded(engine: EngineClient, container: StartingContainer, signal: AbortSignal): Promise<void> {
  const found = await engine.find(container.id, signal);
  if (found?.State.Running) return;
  const end = found ? `ended with status ${found.State.ExitCode}` : 'was removed';
  const memory = found?.State.OOMKilled ? ', because it needed more than its limit of memory' : '';
  throw new ConversationError(
    'SERVER_FAILED',
    `the container ${container.name} ${end}${memory} before its server was ready${found ? await logOf(engine, container) : ''}`,
  );
}

async function logOf(engine: EngineClient, { id }: StartingContainer): Promise<string> {
  const lines = await engine.lastLines(id);
  return lines === '' ? '. It wrote nothing' : `. The last lines that it wrote:\n${lines}`;
}

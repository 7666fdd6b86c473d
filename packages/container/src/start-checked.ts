import type { ContainerWorkspaceOptions } from './container-options.ts';
import { EngineRefusal, type EngineClient } from './engine/engine-client.ts';
import { fromEngine } from './engine/refusals.ts';
import { checkMounts } from './mount-check.ts';

/** A container that is to be started, and the options with which it was made. */
export interface StoppedContainer {
  readonly id: string;
  readonly name: string;
  readonly options: Pick<ContainerWorkspaceOptions, 'folder' | 'target'>;
}

/**
 * Starts a container, and compares what was mounted from this machine. The engine mounts by paths at each start. Where
 * programs of another container write on such a path, they can put a link there, also for a moment, and the engine mounts what the link leads to. Nothing of
 * an agent runs in the container before this resolves. Rejects as the engine, and `SERVER_FAILED` for another folder or file. The container is killed if it was
 * started and could not be compared, because the next start takes a running container as compared.
 */
export async function startChecked(
  engine: EngineClient,
  { id, name, options }: StoppedContainer,
  signal: AbortSignal,
): Promise<void> {
  try {
    await engine.start(id, signal);
  } catch (error) {
    // callers look at a refusal; without an answer it may have been started
    if (!(error instanceof EngineRefusal)) await engine.kill(id).catch(() => undefined);
    throw error;
  }
  try {
    const found = await engine.find(id, signal);
    if (found) checkMounts(name, found, options);
  } catch (error) {
    await engine.kill(id);
    throw fromEngine(error);
  }
}

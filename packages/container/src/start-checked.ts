import type { EngineClient } from './engine/engine-client.ts';
import { checkMounts } from './mount-check.ts';

/**
 * Starts a container, and compares what was mounted from this machine. The engine mounts by paths at each start. Where
 * programs of another container write on such a path, they can put a link there, also for a moment, and the engine mounts what the link leads to. Nothing of
 * an agent runs in the container before this resolves. Rejects as the engine, and `SERVER_FAILED` for another folder or file; the container is killed then.
 */
export async function startChecked(engine: EngineClient, name: string, id: string, signal: AbortSignal): Promise<void> {
  await engine.start(id, signal);
  const found = await engine.find(id, signal);
  try {
    if (found) checkMounts(name, found);
  } catch (error) {
    await engine.kill(id);
    throw error;
  }
}

import { isAbandoned, temporaryContainers } from './container-labels.ts';
import type { EngineClient } from './engine/engine-client.ts';

/** Removes containers and volumes that killed programs of this machine left behind, unless they were made to outlive them. */
export async function removeAbandoned(engine: EngineClient, signal: AbortSignal): Promise<void> {
  for (const { Id, Labels } of await engine.list(temporaryContainers(), signal))
    if (isAbandoned(Labels)) await engine.remove(Id);
  for (const { Name, Labels } of await engine.listVolumes(temporaryContainers(), signal))
    if (isAbandoned(Labels)) await engine.removeVolume(Name);
}

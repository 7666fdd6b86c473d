import { onServers } from '@conv/cli/parts';
import type { Agent } from '@conv/core';
import type { RemoteWorkspace } from '@conv/remote';

import type { Acknowledged, JobWorker } from '../job-worker.ts';
import { JOB_TITLE } from '../task.ts';
import { type WorkerHandlers, workerHandlers } from '../worker-handlers.ts';
import type { WorkerCalls } from '../worker-message.ts';

/** Dependencies of a client. */
export interface ClientParts {
  readonly name: string;
  /** The server, and this folder there. */
  readonly workspaceFor: (folder: string) => RemoteWorkspace;
  readonly agent: Agent;
}

/** Holds the conversation of the job on a server. It runs nothing itself. */
export class Client implements JobWorker {
  readonly name: string;
  readonly acknowledged: Acknowledged[] = [];
  readonly #handlers: WorkerHandlers;

  constructor({ name, workspaceFor, agent }: ClientParts) {
    this.name = name;
    this.#handlers = workerHandlers({
      open: ({ id, create, workspace }) =>
        onServers.open({
          id,
          create,
          workspace: workspaceFor(workspace),
          ...(create === 'must' ? { agent, title: JOB_TITLE } : {}),
        }),
      tell: (acknowledged) => this.acknowledged.push(acknowledged),
    });
  }

  /** See {@link JobWorker.call}. Rejects as the conversation does. */
  async call<Name extends keyof WorkerCalls>(
    name: Name,
    ...[argument]: Parameters<WorkerCalls[Name]>
  ): Promise<ReturnType<WorkerCalls[Name]>> {
    return await this.#handlers[name](argument as never);
  }

  async end(): Promise<void> {
    await this.call('close');
  }
}

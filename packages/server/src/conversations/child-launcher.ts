import type { StartChildRequest } from './child-options.ts';
import type { StartChildResponse } from './start-child.ts';

/** Starts children for the tools of agents, which are built before the server that starts them. */
export class ChildLauncher {
  #start: ((parentId: string, request: StartChildRequest) => Promise<StartChildResponse>) | undefined;

  /** Sets how children are started. Called when the server is registered. */
  serveBy(start: (parentId: string, request: StartChildRequest) => Promise<StartChildResponse>): void {
    this.#start = start;
  }

  /** Starts a child in the name of the caller that started the run of its parent. Rejects as the route does. */
  async start(parentId: string, request: StartChildRequest): Promise<StartChildResponse> {
    if (!this.#start)
      throw new TypeError('agentServer: expected a registered server, found none: register the plugin first');
    return this.#start(parentId, request);
  }
}

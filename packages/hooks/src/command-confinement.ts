import type { HookSession } from '@conv/core';
import type { Confinement, Sandbox } from '@conv/core/tool';

/** The sandbox of a conversation's commands. It is opened by the first command. */
export class CommandConfinement {
  readonly #sandbox: Sandbox;
  readonly #session: HookSession;
  #opening: Promise<Confinement> | undefined;

  constructor(sandbox: Sandbox, session: HookSession) {
    this.#sandbox = sandbox;
    this.#session = session;
  }

  /** Resolves with the confinement. Rejects as the sandbox does, and the next command tries again. */
  async open(): Promise<Confinement> {
    const opening = (this.#opening ??= this.#sandbox.open(this.#session));
    try {
      return await opening;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  /** Releases it. Call it when all commands have ended. */
  async close(): Promise<void> {
    const confinement = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    await confinement?.close();
  }
}

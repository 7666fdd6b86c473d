import type { Platform, Timer } from '@conv/core/platform';

import { volumeOf } from './container-labels.ts';
import type { ContainerWorkspaceOptions } from './container-options.ts';
import { checkDisks, watchDisks } from './disk-watch.ts';
import type { EngineClient } from './engine/engine-client.ts';

/** The container that has a limit of its disks. */
export interface LimitedContainer {
  readonly platform: Platform;
  readonly options: Pick<ContainerWorkspaceOptions, 'folder' | 'limits'>;
  readonly name: string;
  readonly engine: () => EngineClient;
  /** Returns its id, or its name. */
  readonly id: () => string;
}

/** The limit of the disks on which a container writes: kills it when one of them has lost more than `limits.disk`. Does nothing without that limit. */
export class DiskLimit {
  readonly #container: LimitedContainer;
  #watch: Timer | undefined;
  #reason: string | undefined;
  /** The end of the container that is under way. Never rejects. */
  #ending: Promise<unknown> | undefined;

  constructor(container: LimitedContainer) {
    this.#container = container;
  }

  /** Why it has ended the container, in part of a sentence. `undefined` once the container is watched again. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Rejects `UNSUPPORTED` where this program cannot look at a disk. The volume is there. */
  async check(signal: AbortSignal): Promise<void> {
    if (this.#container.options.limits?.disk !== undefined) await checkDisks(await this.#folders(signal));
  }

  /** Resolves when an end of the container that is under way is over. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  /** Looks at the disks from now on, if it does not already. Rejects as `check`. */
  async watch(signal: AbortSignal): Promise<void> {
    await this.#ending;
    const { platform, options } = this.#container;
    const most = options.limits?.disk;
    if (this.#watch || most === undefined) return;
    this.#reason = undefined;
    const beyond = (reason: string): Promise<void> => {
      const ending = this.#end(reason);
      this.#ending = ending.catch(() => undefined);
      return ending;
    };
    this.#watch = await watchDisks(platform, { folders: await this.#folders(signal), most, beyond });
  }

  /** Looks no more. */
  cancel(): void {
    this.#watch?.cancel();
  }

  async #end(reason: string): Promise<void> {
    // before the kill: a call that it cuts off has the reason in its result
    this.#reason = reason;
    try {
      await this.#container.engine().kill(this.#container.id());
      this.#watch?.cancel();
      this.#watch = undefined;
    } catch (error) {
      this.#reason = undefined;
      throw error;
    }
  }

  async #folders(signal: AbortSignal): Promise<readonly string[]> {
    const { engine, options, name } = this.#container;
    const { folder } = options;
    return [...(folder === undefined ? [] : [folder]), await engine().volumeFolder(volumeOf(name), signal)];
  }
}

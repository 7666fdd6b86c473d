import { release } from 'node:os';

import { ConversationError, errorText } from '@conv/core';
import type { Platform, Timer } from '@conv/core/platform';

import { folderBytesIn, volumeOf } from './container-labels.ts';
import type { ContainerWorkspaceOptions } from './container-options.ts';
import { diskPlace } from './disk-place.ts';
import { bytesIn } from './disk-use.ts';
import { inMebi, watchDisks } from './disk-watch.ts';
import type { EngineClient, VolumeListed } from './engine/engine-client.ts';

/**
 * The part of its limit that a container beyond it may take, so that it starts and files can be removed, and the bytes that this is at least, because others write on the
 * disk, too. It is never more than the limit.
 */
const TO_REMOVE = { part: 1 / 8, least: 2 ** 27 } as const;

/** Bytes that a container may write between two looks, whatever its limit. */
const BETWEEN_LOOKS = 2 ** 30;

/** The container that has a limit of its disks. */
export interface LimitedContainer {
  readonly platform: Platform;
  readonly options: Pick<ContainerWorkspaceOptions, 'folder' | 'limits'>;
  readonly name: string;
  readonly engine: () => EngineClient;
  /** Returns its id, or its name. */
  readonly id: () => string;
}

/**
 * The limit of what a container takes of disks, `limits.disk`. At each start the files that it keeps are counted: those of its volume, and in its folder what is
 * there beyond the beginning. The disks may lose the rest, and it is killed when one of them has lost more. Does nothing without that limit.
 */
export class DiskLimit {
  readonly #container: LimitedContainer;
  #watch: Timer | undefined;
  #reason: string | undefined;
  /** The end of the container that is under way. Never rejects. */
  #ending: Promise<unknown> | undefined;
  /** The bytes that are left of the limit, counted before the start that is under way. */
  #left: number | undefined;

  constructor(container: LimitedContainer) {
    this.#container = container;
  }

  /** Why it has ended the container, in part of a sentence. `undefined` once the container is watched again. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Resolves with the bytes in the folder of a container that is to be made; `undefined` without a limit, or a folder. Rejects `UNSUPPORTED` if they cannot be counted. */
  async folderBytes(signal: AbortSignal): Promise<number | undefined> {
    const { folder, limits } = this.#container.options;
    return limits?.disk === undefined || folder === undefined ? undefined : counted(folder, bytesIn(folder, signal));
  }

  /**
   * Counts what the container keeps, before it starts. The volume is there. Rejects `UNSUPPORTED` where this program cannot look at a disk or count, and
   * `SERVER_FAILED` for a container that keeps far more than its limit.
   *
   * @param inFolder the bytes in its folder, if they have just been counted
   */
  async check(signal: AbortSignal, inFolder?: number): Promise<void> {
    const most = this.#container.options.limits?.disk;
    if (most === undefined) return;
    const volume = await this.#volume(signal);
    await this.#places(volume, signal);
    const kept = await this.#kept(volume, inFolder ?? (await this.folderBytes(signal)), signal);
    if (kept > 2 * most + BETWEEN_LOOKS)
      throw new ConversationError(
        'SERVER_FAILED',
        `ContainerWorkspace: limits: disk: expected the container ${this.#container.name} to keep at most ${inMebi(most)}, found ${inMebi(kept)}; remove files from its folder, raise the limit, or remove the container`,
      );
    this.#left = leftOf(most, kept);
  }

  /** Resolves when an end of the container that is under way is over. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  /** Looks at the disks from now on, if it does not already. Rejects as `check`, but for what the container keeps. */
  async watch(signal: AbortSignal): Promise<void> {
    await this.#ending;
    const { platform, options } = this.#container;
    const most = options.limits?.disk;
    const checked = this.#left;
    this.#left = undefined;
    if (this.#watch || most === undefined) return;
    this.#reason = undefined;
    const beyond = (reason: string): Promise<void> => {
      const ending = this.#end(reason);
      this.#ending = ending.catch(() => undefined);
      return ending;
    };
    const volume = await this.#volume(signal);
    const left = checked ?? leftOf(most, await this.#kept(volume, await this.folderBytes(signal), signal));
    this.#watch = await watchDisks(platform, { folders: await this.#places(volume, signal), most: left, beyond });
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

  #volume(signal: AbortSignal): Promise<VolumeListed> {
    return this.#container.engine().volume(volumeOf(this.#container.name), signal);
  }

  /** Resolves with a folder on each disk at which this program can look. */
  #places({ Mountpoint }: VolumeListed, signal: AbortSignal): Promise<readonly string[]> {
    const { engine, options } = this.#container;
    const isHere = async (): Promise<boolean> => (await engine().kernel(signal)) === release();
    const folders = [...(options.folder === undefined ? [] : [options.folder]), Mountpoint];
    return Promise.all(folders.map((folder) => diskPlace(folder, isHere)));
  }

  /** Resolves with the bytes that the container keeps. Files that it removed beyond those of its beginning give it no more space. */
  async #kept(volume: VolumeListed, inFolder: number | undefined, signal: AbortSignal): Promise<number> {
    // a container that was made without a limit begins with what is there now
    const beyond = inFolder === undefined ? 0 : inFolder - (folderBytesIn(volume.Labels) ?? inFolder);
    return Math.max(0, beyond) + (await counted(volume.Mountpoint, this.#volumeBytes(volume, signal)));
  }

  /** Resolves with the bytes in the volume, from the engine where this program may not enter. */
  async #volumeBytes({ Name, Mountpoint }: VolumeListed, signal: AbortSignal): Promise<number> {
    try {
      return await bytesIn(Mountpoint, signal);
    } catch (error) {
      signal.throwIfAborted();
      const bytes = await this.#container.engine().volumeBytes(Name, signal);
      if (bytes === undefined) throw error;
      return bytes;
    }
  }
}

function leftOf(most: number, kept: number): number {
  return Math.max(most - kept, Math.min(most, Math.max(most * TO_REMOVE.part, TO_REMOVE.least)));
}

/** Resolves with a count. Rejects `UNSUPPORTED` where files in `folder` cannot be counted. */
async function counted(folder: string, counting: Promise<number>): Promise<number> {
  try {
    return await counting;
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause instanceof ConversationError) throw cause;
    throw new ConversationError(
      'UNSUPPORTED',
      `ContainerWorkspace: limits: disk: expected files in ${folder} that this program can count, found others (${errorText(cause)}); leave the limit out, or run as a user who reaches them`,
      { cause },
    );
  }
}

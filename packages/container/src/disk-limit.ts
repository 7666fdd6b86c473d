import { release } from 'node:os';

import { ConversationError, errorText } from '@conv/core';
import type { Platform, Timer } from '@conv/core/platform';

import { folderBytesIn, volumeOf } from './container-labels.ts';
import type { ContainerWorkspaceOptions } from './container-options.ts';
import { diskPlace } from './disk-place.ts';
import { leftOf } from './disk-left.ts';
import { bytesIn, type DiskUse } from './disk-use.ts';
import { inMebi, watchDisks } from './disk-watch.ts';
import type { EngineClient, VolumeListed } from './engine/engine-client.ts';

/** Bytes that a container may write between two looks, whatever its limit. */
const BETWEEN_LOOKS = 2 ** 30;

/** The disk use of all that a container keeps. */
interface Kept extends DiskUse {
  /** True if a part was counted by the engine, whose numbers may be the lengths of files and not what they take. */
  readonly isOfEngine: boolean;
}

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
  /** The part of the container's files that the last count left out. */
  #uncounted: string | undefined;

  constructor(container: LimitedContainer) {
    this.#container = container;
  }

  /** Why it has ended the container, in part of a sentence. `undefined` once the container is watched again. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Resolves with the use of the folder of a container that is to be made; `undefined` without a limit, or a folder. Rejects `UNSUPPORTED` if it cannot be counted. */
  async folderUse(signal: AbortSignal): Promise<DiskUse | undefined> {
    const { folder, limits } = this.#container.options;
    return limits?.disk === undefined || folder === undefined ? undefined : counted(folder, bytesIn(folder, signal));
  }

  /**
   * Counts what the container keeps, before it starts. The volume is there. Rejects `UNSUPPORTED` where this program cannot look at a disk or reach the files, and
   * `SERVER_FAILED` for a container that keeps far more than its limit, if this program has counted all of it.
   *
   * @param inFolder the use of its folder, if it has just been counted
   */
  async check(signal: AbortSignal, inFolder?: DiskUse): Promise<void> {
    const most = this.#container.options.limits?.disk;
    if (most === undefined) return;
    const volume = await this.#volume(signal);
    await this.#places(volume, signal);
    const kept = await this.#kept(volume, inFolder ?? (await this.folderUse(signal)), signal);
    const isSure = !kept.isOfEngine && kept.uncounted === undefined;
    if (isSure && kept.bytes > 2 * most + BETWEEN_LOOKS)
      throw new ConversationError(
        'SERVER_FAILED',
        `ContainerWorkspace: limits: disk: expected the container ${this.#container.name} to keep at most ${inMebi(most)}, found ${inMebi(kept.bytes)}; remove files from its folder, raise the limit, or remove the container`,
      );
    this.#left = leftOf(most, kept);
    this.#uncounted = kept.uncounted;
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
    const beyond = (found: string): Promise<void> => {
      const ending = this.#end(this.#explained(found));
      this.#ending = ending.catch(() => undefined);
      return ending;
    };
    const volume = await this.#volume(signal);
    const left = checked ?? leftOf(most, await this.#keptNow(volume, signal));
    this.#watch = await watchDisks(platform, { folders: await this.#places(volume, signal), most: left, beyond });
  }

  async #keptNow(volume: VolumeListed, signal: AbortSignal): Promise<Kept> {
    const kept = await this.#kept(volume, await this.folderUse(signal), signal);
    this.#uncounted = kept.uncounted;
    return kept;
  }

  /** Returns the reason of an end with what was not counted. */
  #explained(reason: string): string {
    if (this.#uncounted === undefined) return reason;
    return `${reason}; of its limit it had only a part, because not all that it keeps was counted: ${this.#uncounted}`;
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

  /** Resolves with what the container keeps. Files that it removed beyond those of its beginning give it no more space. */
  async #kept(volume: VolumeListed, inFolder: DiskUse | undefined, signal: AbortSignal): Promise<Kept> {
    // a container that was made without a limit begins with what is there now
    const beyond = inFolder === undefined ? 0 : inFolder.bytes - (folderBytesIn(volume.Labels) ?? inFolder.bytes);
    const inVolume = await counted(volume.Mountpoint, this.#volumeUse(volume, signal));
    return {
      bytes: Math.max(0, beyond) + inVolume.bytes,
      uncounted: inFolder?.uncounted ?? inVolume.uncounted,
      isOfEngine: inVolume.isOfEngine,
    };
  }

  /** Resolves with the use of the volume, from the engine where this program may not enter. */
  async #volumeUse({ Name, Mountpoint }: VolumeListed, signal: AbortSignal): Promise<Kept> {
    try {
      return { ...(await bytesIn(Mountpoint, signal)), isOfEngine: false };
    } catch (error) {
      signal.throwIfAborted();
      const bytes = await this.#container.engine().volumeBytes(Name, signal);
      if (bytes === undefined) throw error;
      return { bytes, isOfEngine: true };
    }
  }
}

/** Resolves with a count. Rejects `UNSUPPORTED` where files in `folder` cannot be counted. */
async function counted<Use extends DiskUse>(folder: string, counting: Promise<Use>): Promise<Use> {
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

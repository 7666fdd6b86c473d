import { abortable, checks, checkOptionNames, ConversationError, isConversationError } from '@conv/core';
import { secureRandom, systemPlatform, Turns, type Platform, type Timer } from '@conv/core/platform';
import { RemoteWorkspace, type StartableWorkspace } from '@conv/remote';

import { isNewVolume, labelsFor, readLabels, volumeOf, type LabelledContainer } from './container-labels.ts';
import {
  abandonedTimeoutOf,
  checkContainerOptions,
  type ContainerFate,
  type ContainerWorkspaceOptions,
} from './container-options.ts';
import { containerRequest, DATA, knowsKey, workingDirectory, type NewContainer } from './container-request.ts';
import { containerUser } from './container-user.ts';
import { DiskLimit } from './disk-limit.ts';
import { findEngine, parseEngineAddress } from './engine/engine-address.ts';
import { EngineClient, EngineRefusal, type ContainerFound } from './engine/engine-client.ts';
import { foldersArchive } from './engine/folders-archive.ts';
import { fromEngine, isMountGone, isPortTaken } from './engine/refusals.ts';
import { serverOf, START_TIMEOUTS, type ImageServer } from './image-server.ts';
import { openHandsFolders } from './openhands-server.ts';
import { removeAbandoned } from './remove-abandoned.ts';
import { freePort, PORTS } from './server/free-port.ts';
import { defaultKeyFile, keptSecret, serverKey, storageKey } from './server/server-key.ts';
import { visit } from './server/visit.ts';
import { waitUntilReady } from './server/wait-until-ready.ts';
import { startChecked } from './start-checked.ts';

/** A request to an executor that takes no connection soon ends, because `executeIn` then starts it again. */
const EXECUTOR_REQUESTS = { requestTimeout: 500 } as const;

const SIGNAL = { signal: true } as const;

/**
 * A container with an agent server of its own, ours or OpenHands', on Docker or Podman. As the option `workspace` it selects the remote
 * runtime, which starts the container when the first conversation opens.
 *
 * The server has a key that no other server has, and ours knows only its digests. The container is confined: no privileges, no
 * capabilities, a read-only system, limits of memory, processors and processes, and ports that only this machine reaches.
 */
export class ContainerWorkspace implements StartableWorkspace {
  readonly kind = 'RemoteWorkspace';
  /** Name of the container; a random name without the option `name`. */
  readonly name: string;
  /** The folder in the container that agents work in. */
  readonly workingDir: string;
  readonly #options: ContainerWorkspaceOptions;
  readonly #keep: ContainerFate;
  readonly #platform: Platform;
  readonly #turns = new Turns();
  readonly #closing = new AbortController();
  /** Visits the server while this object lives. */
  #visits: Timer | undefined;
  readonly #disk: DiskLimit;
  /** The secret from which the key of the server is derived. */
  #secret: Uint8Array | undefined;
  #engine: EngineClient | undefined;
  #remote: RemoteWorkspace | undefined;
  /** Id of the container, once this object has found or made it. */
  #id: string | undefined;
  #closed: Promise<void> | undefined;

  /** Throws `INVALID_INPUT` for a wrong option. Starts nothing, and reads no file. */
  constructor(options: ContainerWorkspaceOptions) {
    checkContainerOptions(options);
    this.#options = options;
    this.#keep = options.keep ?? 'removed';
    this.#platform = options.platform ?? systemPlatform;
    this.name = options.name ?? `conv-${this.#platform.id()}`;
    this.workingDir = workingDirectory(options);
    const [engine, id] = [() => this.#client(), () => this.#id ?? this.name];
    this.#disk = new DiskLimit({ platform: this.#platform, options, name: this.name, engine, id });
  }

  /** Address of the server; `container:` and the name before the container has started. */
  get host(): string {
    return this.#remote?.host ?? `container:${this.name}`;
  }

  /** Why this object has ended the container, in part of a sentence: it went beyond `limits.disk`. `undefined` once it is started again. */
  get endReason(): string | undefined {
    return this.#disk.reason;
  }

  /**
   * Resolves with the server when it is ready. Makes the container, or starts the container of this name; does nothing if it runs.
   * Call it again after a container has ended: it starts it with its conversations and files, at the same address.
   *
   * Rejects `UNREACHABLE` if the engine or the server does not answer, `NOT_FOUND` if the image or the folder is not there,
   * `SERVER_FAILED` if the container has ended, keeps far more than `limits.disk`, or the engine refuses it, `EXISTS` if a container or a volume of others has the name,
   * `DENIED` if the server was made with another secret, `CLOSED` after `close`; `signal.reason` when aborted, and the container then
   * may run.
   */
  async start(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<RemoteWorkspace> {
    checkOptionNames('start', options, SIGNAL, checks.invalid);
    const { signal } = options;
    signal?.throwIfAborted();
    const all = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    return abortable(
      this.#turns.run(async () => {
        all.throwIfAborted();
        try {
          return await this.#ensure(all);
        } catch (error) {
          throw fromEngine(error);
        }
      }),
      all,
    );
  }

  /**
   * Resolves with the address at which this machine reaches a port of the option `ports`. It may change when the container restarts.
   * Starts the container if necessary; rejects as `start` does, and `INVALID_INPUT` for another port.
   */
  async addressOf(port: number, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<string> {
    checkOptionNames('addressOf', options, SIGNAL, checks.invalid);
    if (!this.#options.ports?.includes(port))
      throw checks.invalid(checks.wrongValue('addressOf: port', 'one of the ports that the option ports names', port));
    await this.start(options);
    if (this.#options.network === 'host') return `http://127.0.0.1:${port}`;
    const found = await this.#client().find(this.#id ?? this.name, options.signal);
    const published = found?.NetworkSettings?.Ports?.[`${port}/tcp`]?.[0]?.HostPort;
    if (published === undefined)
      throw new ConversationError('SERVER_FAILED', `${this.name} publishes no port ${port}; remove the container`);
    return `http://127.0.0.1:${published}`;
  }

  /**
   * Ends the container as `keep` says, here or in the options, and closes connections. Does nothing more where it never started. A start
   * that is under way rejects `CLOSED`. Conversations are closed by their owners, before.
   */
  close(options: { readonly keep?: ContainerFate } = {}): Promise<void> {
    checkOptionNames('close', options, { keep: true }, checks.invalid);
    const { keep = this.#keep } = options;
    const text = `the workspace of the container ${this.name} is closed; make another one`;
    this.#closing.abort(new ConversationError('CLOSED', text));
    this.#closed ??= this.#turns.run(() => this.#end(keep));
    return this.#closed;
  }

  /**
   * Stops the container of this name, also if an earlier program has started it, and closes the workspace. Does nothing where there is none, or no
   * engine. Rejects as `remove` does, and closes the workspace then, too.
   */
  async stop(): Promise<void> {
    try {
      await this.#turns.run(() => this.#find());
    } catch (error) {
      if (!isConversationError(error, 'UNREACHABLE')) throw fromEngine(error);
    } finally {
      await this.close({ keep: 'stopped' });
    }
  }

  /**
   * Removes the container of this name and its volume, also if this object has not started it, and closes the workspace. Does nothing
   * where there is none. Rejects as `start` does for a container that is none of this program's, and closes the workspace then, too. The options with
   * which the container was made may differ.
   */
  async remove(): Promise<void> {
    try {
      await this.#turns.run(async () => {
        await this.#find();
        await this.#remove();
      });
    } catch (error) {
      throw fromEngine(error);
    } finally {
      await this.close();
    }
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(keep: ContainerFate): Promise<void> {
    this.#visits?.cancel();
    this.#disk.cancel();
    await this.#remote?.close();
    if (!this.#engine) return;
    try {
      if (this.#id !== undefined && keep === 'stopped') await this.#engine.stop(this.#id);
      if (this.#id !== undefined && keep === 'removed') await this.#remove();
    } catch (error) {
      throw fromEngine(error);
    } finally {
      await this.#engine.close();
    }
  }

  /** Notes the id of the container of this name, if there is one, also if it was made with other options. */
  async #find(): Promise<void> {
    const found = await this.#client().find(this.name);
    if (found) this.#identify(found, await this.#ownSecret(), {});
  }

  async #ownSecret(): Promise<Uint8Array> {
    const { keyFile = defaultKeyFile(), name } = this.#options;
    this.#secret ??= name === undefined ? secureRandom(32) : await keptSecret(keyFile);
    return this.#secret;
  }

  async #ensure(signal: AbortSignal): Promise<RemoteWorkspace> {
    const engine = this.#client();
    const secret = await this.#ownSecret();
    await this.#disk.settled();
    const found = await engine.find(this.name, signal);
    const adopted = found && (await this.#adopt(found, secret, signal));
    const container = adopted ?? (await this.#make(secret, signal));
    await this.#disk.watch(signal);
    const url = `http://127.0.0.1:${container.port}`;
    const { startTimeout = START_TIMEOUTS[container.server] } = this.#options;
    const starting = { id: this.#id ?? this.name, name: this.name, url, signal, timeout: startTimeout };
    await waitUntilReady(this.#platform, engine, starting);
    return this.#connect(url, serverKey(secret, container.keyNumber), container.server);
  }

  /**
   * Starts a container of this name if it has ended. Resolves with `undefined` where the engine cannot start it any more, because something that was mounted
   * from the folder is gone; the container is then removed, and its volume stays.
   */
  async #adopt(found: ContainerFound, secret: Uint8Array, signal: AbortSignal): Promise<LabelledContainer | undefined> {
    const container = this.#identify(found, secret);
    if (found.State.Running) return container;
    const engine = this.#client();
    await this.#disk.check(signal);
    try {
      await startChecked(engine, { id: found.Id, name: this.name, options: this.#options }, signal);
      return container;
    } catch (error) {
      if (!(error instanceof EngineRefusal)) throw error;
      // another program may have started it
      const now = await engine.find(this.name, signal);
      if (now?.State.Running === true) return this.#identify(now, secret);
      if (!isMountGone(error)) throw error;
      await this.#remove({ volume: false });
      return undefined;
    }
  }

  /** Notes the id of a container of this program. Throws as {@link readLabels}, and `DENIED` for one of another secret. */
  #identify(
    found: ContainerFound,
    secret: Uint8Array,
    options: Partial<ContainerWorkspaceOptions> = this.#options,
  ): LabelledContainer {
    const container = readLabels(this.name, found.Config.Labels ?? {}, options);
    // before its id is noted: a program without the key must not end the container either
    if (!knowsKey(found.Config.Env ?? [], serverKey(secret, container.keyNumber)))
      throw new ConversationError(
        'DENIED',
        `the container ${this.name} was made with another secret; give the keyFile of its program, or another name`,
      );
    this.#id = found.Id;
    return container;
  }

  /** Makes and starts a container. Leaves none behind if it fails. */
  async #make(secret: Uint8Array, signal: AbortSignal): Promise<LabelledContainer> {
    const engine = this.#client();
    const server = serverOf(await engine.image(this.#options.image, signal), this.#options);
    await removeAbandoned(engine, signal);
    const user = await containerUser(this.#options);
    const mapUser = this.#options.folder !== undefined && (await engine.isRootless(signal));
    const inFolder = await this.#disk.folderUse(signal);
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const labels = labelsFor(this.#options, this.#keep, { port, server, folderBytes: inFolder?.bytes });
      const container = readLabels(this.name, labels, this.#options);
      const keys = { key: serverKey(secret, container.keyNumber), storageKey: storageKey(secret, this.name) };
      const volume = volumeOf(this.name);
      const isNew = isNewVolume(volume, await engine.createVolume(volume, labels, signal), labels);
      try {
        await this.#disk.check(signal, inFolder);
      } catch (error) {
        if (isNew) await engine.removeVolume(volume);
        throw error;
      }
      const request = { options: this.#options, labels, volume, server, keys, port, user, mapUser };
      const other = await this.#create(request, isNew, secret, signal);
      if (other) return other;
      try {
        const id = this.#id ?? this.name;
        if (server === 'openhands') await engine.unpack(id, DATA, foldersArchive(openHandsFolders()), signal);
        await startChecked(engine, { id, name: this.name, options: this.#options }, signal);
        return container;
      } catch (error) {
        await this.#remove({ volume: isNew });
        if (!isPortTaken(error) || tries === PORTS) throw error;
      }
    }
  }

  /**
   * Makes a container. Resolves with the one of another program that has just made one of this name. If it fails, removes a volume that
   * is new.
   */
  async #create(
    request: NewContainer,
    isNew: boolean,
    secret: Uint8Array,
    signal: AbortSignal,
  ): Promise<LabelledContainer | undefined> {
    const engine = this.#client();
    try {
      // not aborted: a container that is made must be known, so that it is removed
      this.#id = await engine.create(this.name, containerRequest(request));
      return undefined;
    } catch (error) {
      const other = await engine.find(this.name);
      const adopted = other && (await this.#adopt(other, secret, signal));
      if (adopted) return adopted;
      if (isNew) await engine.removeVolume(request.volume);
      throw error;
    }
  }

  async #connect(host: string, apiKey: string, server: ImageServer): Promise<RemoteWorkspace> {
    if (this.#remote?.host === host) return this.#remote;
    await this.#remote?.close();
    const { executor = false, requests } = this.#options;
    // OpenHands' server expects no visits
    const timeout = server === 'openhands' ? undefined : abandonedTimeoutOf(this.#options);
    this.#visits?.cancel();
    this.#visits = timeout === undefined ? undefined : visit(this.#platform, { url: host, key: apiKey, timeout });
    const remote = new RemoteWorkspace({
      host,
      apiKey,
      workingDir: this.workingDir,
      requests: { ...(executor && EXECUTOR_REQUESTS), ...requests },
      platform: this.#platform,
    });
    this.#remote = remote;
    return remote;
  }

  async #remove({ volume }: { readonly volume: boolean } = { volume: true }): Promise<void> {
    if (this.#id !== undefined) await this.#client().remove(this.#id);
    this.#id = undefined;
    if (volume) await this.#client().removeVolume(volumeOf(this.name));
  }

  #client(): EngineClient {
    const { engine } = this.#options;
    this.#engine ??= new EngineClient(engine === undefined ? findEngine() : parseEngineAddress(engine));
    return this.#engine;
  }
}

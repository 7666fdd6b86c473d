import { Agent, request, type Dispatcher } from 'undici';
import { ConversationError, errorText } from '@conv/core';

import { logText } from './log-text.ts';
import type { EngineAddress } from './engine-address.ts';

/** A mount of a container, as far as a workspace needs it. */
export interface FoundMount {
  readonly Type?: string;
  /** The path on the engine's machine with which it was made. */
  readonly Source?: string;
  /** The path in the container. */
  readonly Destination: string;
}

/** State of a container, as far as a workspace needs it. */
export interface ContainerFound {
  readonly Id: string;
  readonly State: {
    readonly Running: boolean;
    readonly ExitCode: number;
    readonly OOMKilled?: boolean;
    /** The number of its first process where the engine runs; 0 for none. */
    readonly Pid?: number;
  };
  readonly Mounts?: readonly FoundMount[] | null;
  readonly Config: {
    readonly Labels?: Readonly<Record<string, string>> | null;
    readonly Env?: readonly string[] | null;
  };
  readonly NetworkSettings?: {
    readonly Ports?: Readonly<Record<string, readonly { readonly HostPort: string }[] | null>>;
  };
}

/** The part of an image's description that workspaces need. */
export interface ImageFound {
  readonly Config: {
    readonly User?: string;
    readonly Entrypoint?: readonly string[] | null;
  };
}

/** A container in a list. */
export interface ContainerListed {
  readonly Id: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

/** A volume in a list. */
export interface VolumeListed {
  readonly Name: string;
  readonly Mountpoint: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

/** A volume with the bytes that it takes, -1 if they are not known. */
interface VolumeUsed {
  readonly Name: string;
  readonly UsageData?: { readonly Size: number } | null;
}

/** The use of disks, in the two forms that versions of the engine have. */
interface VolumesUsed {
  readonly Volumes?: readonly VolumeUsed[] | null;
  readonly VolumesUsage?: { readonly Items?: readonly VolumeUsed[] | null } | null;
}

/** The engine's refusal of a request. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  readonly status: number;
  /** The engine's own words; empty without any. */
  readonly answer: string;

  constructor(status: number, answer: string) {
    super(answer || `status ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

interface Call {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** An archive, in the place of a body of JSON. */
  readonly archive?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

/** Number of lines of a container's log in an error. */
const LAST_LINES = 20;

/** Seconds for which a container may end in order. The server takes 20 at most. */
const STOP_SECONDS = '25';

/** The part of Docker's API that workspaces need. Podman serves it too. Opens no connection before the first request. */
export class EngineClient {
  readonly #origin: string;
  readonly #dispatcher: Agent;

  constructor(address: EngineAddress) {
    const socket = 'socket' in address ? address.socket : undefined;
    this.#origin = 'origin' in address ? address.origin : 'http://engine';
    // the time of an orderly end of a container is part of an answer
    this.#dispatcher = new Agent({ headersTimeout: 120_000, ...(socket && { connect: { socketPath: socket } }) });
  }

  /** Resolves with a container, or `undefined` if there is none with this name or id. */
  async find(name: string, signal?: AbortSignal): Promise<ContainerFound | undefined> {
    return this.#orNone(this.#json('GET', `/containers/${name}/json`, { signal })) as Promise<
      ContainerFound | undefined
    >;
  }

  async list(labels: readonly string[], signal?: AbortSignal): Promise<readonly ContainerListed[]> {
    const query = { all: 'true', filters: JSON.stringify({ label: labels }) };
    return (await this.#json('GET', '/containers/json', { query, signal })) as readonly ContainerListed[];
  }

  /** Resolves with an image. Rejects {@link EngineRefusal} with status 404 if the engine does not have it. */
  async image(name: string, signal?: AbortSignal): Promise<ImageFound> {
    return (await this.#json('GET', `/images/${name}/json`, { signal })) as ImageFound;
  }

  /** Unpacks an archive into a folder of a container, which may be in a volume. */
  async unpack(id: string, folder: string, archive: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#send('PUT', `/containers/${id}/archive`, { query: { path: folder }, archive, signal });
  }

  /** Makes a container, and resolves with its id. */
  async create(name: string, body: unknown): Promise<string> {
    const made = await this.#json('POST', '/containers/create', { query: { name }, body });
    return (made as { readonly Id: string }).Id;
  }

  /** Starts a container. Does nothing if it runs. */
  async start(id: string, signal?: AbortSignal): Promise<void> {
    await this.#send('POST', `/containers/${id}/start`, { signal });
  }

  /** Ends a container in order. Does nothing if it has ended or is gone. */
  async stop(id: string): Promise<void> {
    await this.#orNone(this.#send('POST', `/containers/${id}/stop`, { query: { t: STOP_SECONDS } }));
  }

  /** Kills a container. Does nothing if it has ended or is gone. */
  async kill(id: string): Promise<void> {
    await this.#orNone(this.#send('POST', `/containers/${id}/kill`, {}), [404, 409]);
  }

  /** Kills and removes a container and its unnamed volumes. Does nothing if it is gone, or another program removes it. */
  async remove(id: string): Promise<void> {
    const query = { force: 'true', v: 'true' };
    await this.#orNone(this.#send('DELETE', `/containers/${id}`, { query }), [404, 409]);
  }

  /** Makes a volume. Resolves with the labels of the volume of this name, which has others if it was there before. */
  async createVolume(
    name: string,
    labels: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    const body = { Name: name, Labels: labels };
    const made = (await this.#json('POST', '/volumes/create', { body, signal })) as VolumeListed;
    return made.Labels ?? {};
  }

  async listVolumes(labels: readonly string[], signal?: AbortSignal): Promise<readonly VolumeListed[]> {
    const query = { filters: JSON.stringify({ label: labels }) };
    const { Volumes } = (await this.#json('GET', '/volumes', { query, signal })) as {
      readonly Volumes?: readonly VolumeListed[] | null;
    };
    return Volumes ?? [];
  }

  /** Resolves with a volume. Rejects {@link EngineRefusal} with status 404 if there is none. */
  async volume(name: string, signal?: AbortSignal): Promise<VolumeListed> {
    return (await this.#json('GET', `/volumes/${name}`, { signal })) as VolumeListed;
  }

  /** Resolves with the bytes that a volume takes, for which the engine looks at all; `undefined` if it does not tell. */
  async volumeBytes(name: string, signal?: AbortSignal): Promise<number | undefined> {
    const used = (await this.#json('GET', '/system/df', { query: { type: 'volume' }, signal })) as VolumesUsed;
    const volumes = used.Volumes ?? used.VolumesUsage?.Items ?? [];
    const bytes = volumes.find(({ Name }) => Name === name)?.UsageData?.Size ?? -1;
    return bytes < 0 ? undefined : bytes;
  }

  /** Resolves with the version of the kernel on which the engine runs. */
  async kernel(signal?: AbortSignal): Promise<string | undefined> {
    return ((await this.#json('GET', '/info', { signal })) as { readonly KernelVersion?: string }).KernelVersion;
  }

  /** Removes a volume. Does nothing if it is gone, or another container uses it. */
  async removeVolume(name: string): Promise<void> {
    await this.#orNone(this.#send('DELETE', `/volumes/${name}`, {}), [404, 409]);
  }

  /** True if the engine runs without root, so that users of containers are not those of the machine. */
  async isRootless(signal?: AbortSignal): Promise<boolean> {
    const info = (await this.#json('GET', '/info', { signal })) as { readonly SecurityOptions?: readonly string[] };
    return info.SecurityOptions?.some((option) => option.includes('rootless')) ?? false;
  }

  /** Resolves with the last lines that a container wrote; empty if they cannot be read. */
  async lastLines(id: string): Promise<string> {
    const query = { stdout: 'true', stderr: 'true', tail: String(LAST_LINES) };
    try {
      return logText(await this.#send('GET', `/containers/${id}/logs`, { query }));
    } catch {
      return '';
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }

  async #json(method: Dispatcher.HttpMethod, path: string, call: Call): Promise<unknown> {
    const text = new TextDecoder().decode(await this.#send(method, path, call));
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new ConversationError('SERVER_FAILED', `expected JSON from the engine of containers for ${path}`, {
        cause,
      });
    }
  }

  /** Resolves with the body of an answer. Rejects `EngineRefusal`, `UNREACHABLE`, or `signal.reason`. */
  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    { query, body, archive, signal }: Call,
  ): Promise<Uint8Array> {
    let status: number;
    let bytes: Uint8Array;
    try {
      const answer = await request(`${this.#origin}${path}`, {
        method,
        dispatcher: this.#dispatcher,
        ...(query && { query }),
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        ...(archive && { body: archive, headers: { 'content-type': 'application/x-tar' } }),
        ...(signal && { signal }),
      });
      status = answer.statusCode;
      bytes = new Uint8Array(await answer.body.arrayBuffer());
    } catch (cause) {
      signal?.throwIfAborted();
      throw new ConversationError(
        'UNREACHABLE',
        `the engine of containers does not answer (${errorText(cause)}); start Docker, or Podman's service, and give its socket as engine`,
        { cause },
      );
    }
    if (status < 400) return bytes;
    throw new EngineRefusal(status, refusalText(new TextDecoder().decode(bytes)));
  }

  /** Resolves with `undefined` where the engine refuses with one of these statuses. */
  async #orNone<Found>(asked: Promise<Found>, statuses: readonly number[] = [404]): Promise<Found | undefined> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof EngineRefusal && statuses.includes(error.status)) return undefined;
      throw error;
    }
  }
}

function refusalText(body: string): string {
  try {
    return (JSON.parse(body) as { readonly message?: string }).message ?? body;
  } catch {
    return body;
  }
}

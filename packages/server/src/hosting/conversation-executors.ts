import { join } from 'node:path';

import { ConversationError, fromStoreError, type LocalWorkspaceDescription, type StateFields } from '@conv/core';

import type { HostOptions } from './host-options.ts';
import {
  hasOwnExecutor,
  offered,
  runtimeIn,
  runtimesOf,
  type ConversationExecutor,
  type ExecutorRuntime,
} from './runtimes.ts';
import { readStored } from './stored-conversation.ts';

/** A conversation, as far as it says where its tools act. */
type Placed = Pick<StateFields, 'workspace' | 'parentId' | 'extra'>;

/** Where the tools of a loaded conversation act. */
export interface Hands {
  /** The workspace with the executor; `undefined` where tools act in this process. */
  readonly workspace: LocalWorkspaceDescription | undefined;
  /** Ends the use. The last user of an executor stops it. Idempotent. */
  readonly release: ConversationExecutor['close'];
}

interface Open {
  readonly executor: ConversationExecutor;
  users: number;
  /** True if the conversation that it was made for was unloaded, so that another server may own it, while sub-agents of it are loaded here. */
  isLeft: boolean;
  closing: Promise<void> | undefined;
}

/** Tools act in this process. */
export const HERE: Hands = { workspace: undefined, release: async () => {} };

/** The executors of loaded conversations. A sub-agent's conversation shares its parent's executor; a started child has its own. */
export class ConversationExecutors {
  readonly #host: HostOptions;
  readonly #open = new Map<string, Open>();

  constructor(host: HostOptions) {
    this.#host = host;
  }

  /** Resolves with the hands of a new conversation. Rejects `INVALID_INPUT` for a runtime that this server does not offer. */
  forNew(id: string, meta: Placed['extra']['meta'], workingDirectory: string): Promise<Hands> {
    return this.#hands(id, meta, { workingDirectory, isRoot: true });
  }

  /** Resolves with the hands of a stored conversation. Rejects as {@link ConversationExecutors.forNew}, and `NOT_FOUND`. */
  async forStored(id: string, fields: Placed): Promise<Hands> {
    const root = await this.#rootOf(id, fields);
    const place = { workingDirectory: fields.workspace.workingDir, isRoot: root.id === id };
    return this.#hands(root.id, root.fields.extra.meta, place);
  }

  /**
   * Returns the removal of what the executor of a conversation leaves when that is deleted. Throws `INVALID_INPUT` for a runtime that this
   * server does not offer: its executor could not be removed.
   */
  removal(id: string, { extra }: Pick<Placed, 'extra'>): () => Promise<void> {
    const runtime = this.#runtime(id, runtimeIn(extra.meta).name);
    return async () => {
      if (runtime !== true) await runtime.remove?.(id);
    };
  }

  async #hands(
    id: string,
    meta: Placed['extra']['meta'],
    { workingDirectory, isRoot }: { readonly workingDirectory: string; readonly isRoot: boolean },
  ): Promise<Hands> {
    const { name, limits } = runtimeIn(meta);
    const runtime = this.#runtime(id, name);
    if (runtime === true) return HERE;
    // an executor that stops now is not used again: one of the same name could be stopped in its place
    for (let before = this.#open.get(id); before?.closing; before = this.#open.get(id)) await before.closing;
    const sideDirectory = join(this.#host.persistenceDir, id.replaceAll('-', ''), 'observations');
    const open = this.#open.get(id) ?? {
      executor: runtime.open({ id, workingDirectory, sideDirectory, limits }),
      users: 0,
      isLeft: !isRoot,
      closing: undefined,
    };
    this.#open.set(id, open);
    open.users += 1;
    if (isRoot) open.isLeft = false;
    let isUsed = true;
    const release: Hands['release'] = async (options) => {
      if (isUsed) open.users -= 1;
      isUsed = false;
      if (open.users > 0) {
        open.isLeft ||= isRoot;
        return;
      }
      const isTakenOver = options.isTakenOver || open.isLeft;
      open.closing ??= open.executor.close({ isTakenOver }).finally(() => this.#open.delete(id));
      await open.closing;
    };
    return {
      workspace: { kind: 'LocalWorkspace', workingDir: workingDirectory, executor: open.executor.executor },
      release,
    };
  }

  #runtime(id: string, name: string): ExecutorRuntime | true {
    const runtimes = runtimesOf(this.#host);
    const runtime = offered(runtimes, name);
    if (runtime === undefined) throw notOffered(id, name, Object.keys(runtimes.offered));
    return runtime;
  }

  /** Resolves with the conversation for which a stored one works: itself, unless it is a sub-agent's. */
  async #rootOf(id: string, fields: Placed): Promise<{ readonly id: string; readonly fields: Placed }> {
    const { parentId, workspace, extra } = fields;
    if (parentId === null || workspace['executor'] !== true || hasOwnExecutor(extra.meta)) return { id, fields };
    const parent = await readStored(parentId, this.#host).catch((error: unknown) => {
      throw fromStoreError(error, parentId);
    });
    await parent?.[Symbol.asyncDispose]();
    // without its parent nothing says where its files are
    return parent ? this.#rootOf(parentId, parent.fields) : { id, fields };
  }
}

function notOffered(id: string, name: string, names: readonly string[]): ConversationError {
  return new ConversationError(
    'INVALID_INPUT',
    `conversation ${id} has the runtime ${name}: expected one that this server offers (${names.join(', ')}); start the server with ${name}`,
    { conversationId: id },
  );
}

import { checkOptionNames, describeValue } from '../settings-input/check-option-names.ts';
import { invalidOption, wrongOption, wrongValue } from '../settings-input/invalid-option.ts';
import { ConversationError } from '../errors/conversation-error.ts';
import type { Conversation } from './conversation.ts';
import type { SharedOptions } from './shared-options.ts';
import type { WorkspaceInput } from './workspace.ts';

/** The options that the factory itself reads. */
interface FactoryOptions extends Pick<SharedOptions, 'id' | 'create'> {
  readonly workspace?: WorkspaceInput;
}

/** A runtime of conversations: in this process, or on a server. */
export interface ConversationRuntime<Options extends { readonly workspace?: WorkspaceInput }> {
  /** The name for people, in errors. */
  readonly name: string;
  /** True if this runtime holds conversations in the workspace. */
  accepts(workspace: WorkspaceInput | undefined): boolean;
  /** Opens or makes a conversation. Rejects {@link ConversationError}. */
  open(options: Options): Promise<Conversation>;
}

/**
 * Opens and makes conversations in the runtime that the workspace chooses. Called as a function it opens the conversation with `id`
 * when there is one and makes it otherwise. `create` and `resume` say which of the two is meant.
 */
export interface ConversationFactory<Options, Opened extends Conversation = Conversation> {
  (options: Options): Promise<Opened>;
  /** Makes a new conversation. Rejects `EXISTS` when `id` is taken. */
  create(options: Options extends unknown ? Omit<Options, 'create'> : never): Promise<Opened>;
  /** Opens the conversation with this id. Rejects `NOT_FOUND` and makes nothing if there is none. */
  resume(
    id: string,
    ...options: object extends (Options extends unknown ? Omit<Options, 'create' | 'id'> : never)
      ? [options?: Options extends unknown ? Omit<Options, 'create' | 'id'> : never]
      : [options: Options extends unknown ? Omit<Options, 'create' | 'id'> : never]
  ): Promise<Opened>;
}

/**
 * Creates the function that opens conversations. The first runtime that accepts the workspace opens the conversation. Rejects
 * `UNSUPPORTED` if no runtime accepts it. Throws `TypeError` when `runtimes` holds no runtime.
 *
 * @example
 * ```ts
 * import { createConversationFactory } from '@conv/core';
 * import { MemoryStore } from '@conv/core/store';
 * import { local } from '@conv/local';
 *
 * export const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
 * ```
 */
export function createConversationFactory<const Runtimes extends readonly ConversationRuntime<never>[]>(options: {
  readonly runtimes: Runtimes;
}): ConversationFactory<Parameters<Runtimes[number]['open']>[0], Awaited<ReturnType<Runtimes[number]['open']>>> {
  checkOptionNames('createConversationFactory', options, { runtimes: true });
  checkRuntimes(options.runtimes);
  const start = async (given: FactoryOptions): Promise<Conversation> =>
    runtimeFor(options.runtimes, given).open(given as never);
  // no arrow, so that `new` can be answered with what to write
  function open(given: FactoryOptions): Promise<Conversation> {
    if (new.target !== undefined)
      throw new TypeError('Conversation: it is called without new; write await Conversation({ agent, workspace })');
    return start(given);
  }
  const create = async (given: FactoryOptions): Promise<Conversation> => {
    checkIntent('create', given, ['create']);
    return open({ ...given, create: 'must' });
  };
  const resume = async (id: string, given: FactoryOptions = {}): Promise<Conversation> => {
    if (typeof id !== 'string')
      throw invalidOption(`resume: expected the id of a conversation, a UUID, found ${describeValue(id)}`);
    checkIntent('resume', given, ['create', 'id']);
    return open({ ...given, id, create: 'never' });
  };
  return Object.assign(open, { create, resume }) as never;
}

function runtimeFor(
  runtimes: readonly ConversationRuntime<never>[],
  given: FactoryOptions,
): ConversationRuntime<never> {
  if (typeof given !== 'object' || given === null)
    throw wrongOption('Conversation', "options such as { agent, workspace: 'my-project' }", given);
  const runtime = runtimes.find((candidate) => candidate.accepts(given.workspace));
  if (runtime) return runtime;
  const names = runtimes.map(({ name }) => name).join(', ');
  const text = `${wrongValue('Conversation: workspace', `a workspace for the runtime ${names}`, given.workspace)}; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()`;
  throw new ConversationError('UNSUPPORTED', text);
}

function checkRuntimes(runtimes: unknown): void {
  const expected = 'expected runtimes such as local({ storeAt: (directory) => new FsStore({ directory }) })';
  if (!Array.isArray(runtimes))
    throw new TypeError(
      `createConversationFactory: runtimes: ${expected} in an array, found ${describeValue(runtimes)}`,
    );
  if (runtimes.length === 0) throw new TypeError(`createConversationFactory: runtimes: ${expected}, found none`);
  for (const [index, runtime] of runtimes.entries()) {
    if (typeof runtime?.accepts === 'function' && typeof runtime.open === 'function') continue;
    throw new TypeError(`createConversationFactory: runtimes[${index}]: ${expected}, found ${describeValue(runtime)}`);
  }
}

function checkIntent(intent: 'create' | 'resume', given: object, taken: readonly string[]): void {
  const name = taken.find((each) => given !== null && typeof given === 'object' && each in given);
  if (name !== undefined)
    throw invalidOption(`${intent}: ${name} is no option of it, because ${intent} says it already; leave it out`);
}

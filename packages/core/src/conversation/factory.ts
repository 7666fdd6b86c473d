import { ConversationError } from './conversation-error.ts';
import type { Conversation } from './conversation.ts';
import type { WorkspaceInput } from './workspace.ts';

/** A way to hold conversations: in this process, on a server. */
export interface ConversationRuntime<Options extends { readonly workspace?: WorkspaceInput }> {
  /** For people, in errors. */
  readonly name: string;
  /** Whether it holds conversations in this workspace. */
  accepts(workspace: WorkspaceInput | undefined): boolean;
  /** Opens or makes a conversation. Rejects {@link ConversationError}. */
  open(options: Options): Promise<Conversation>;
}

type OptionsOf<Runtime> = Runtime extends ConversationRuntime<infer Options> ? Options : never;

/** Opens or makes a conversation in the runtime that the workspace chooses. */
export type ConversationFactory<Runtimes extends readonly ConversationRuntime<never>[]> = <
  Options extends OptionsOf<Runtimes[number]>,
>(
  options: Options,
) => Promise<Conversation>;

/**
 * Makes the function that makes conversations. The first runtime that accepts the workspace opens it; none: rejects
 * `UNSUPPORTED`.
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
}): ConversationFactory<Runtimes> {
  return async (open) => {
    const runtime = options.runtimes.find((candidate) =>
      candidate.accepts((open as { workspace?: WorkspaceInput }).workspace),
    );
    if (runtime) return runtime.open(open as never);
    const names = options.runtimes.map(({ name }) => name).join(', ') || 'none';
    throw new ConversationError('UNSUPPORTED', `no runtime accepts this workspace; there are: ${names}`);
  };
}

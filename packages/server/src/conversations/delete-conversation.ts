import type { ConversationHost } from '../hosting/conversation-host.ts';
import { withReading } from '../hosting/with-conversation.ts';
import { worktreeIn, type Worktree } from '../workspace/worktree.ts';
import type { ConversationInfos } from './conversation-infos.ts';
import { releaseWorktree } from './workspace-folder.ts';

/** Deletes a conversation and releases its worktree. Rejects as `ConversationHost.delete`. */
export async function deleteConversation(host: ConversationHost, infos: ConversationInfos, id: string): Promise<void> {
  const worktree = await worktreeOf(host, id);
  await host.delete(id);
  if (worktree) await releaseWorktree(host, id, worktree);
  infos.children.forget(id);
}

/** Resolves with the worktree of a conversation; `undefined` also for a conversation that cannot be read, which can be deleted all the same. */
async function worktreeOf(host: ConversationHost, id: string): Promise<Worktree | undefined> {
  try {
    return await withReading(host, id, async ({ fields }) => worktreeIn(fields.extra.meta));
  } catch {
    return undefined;
  }
}

import type { Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { NewConversation } from '../hosting/open-local.ts';
import { invalidMember } from '../http/api-error.ts';
import type { WorktreePlan } from '../workspace/worktree.ts';
import type { Start } from './new-conversation.ts';
import type { ReachableFolders } from './reachable-folders.ts';
import { makeWorkspace, makeWorktree, releaseWorktree } from './workspace-folder.ts';

/**
 * Makes a conversation and its folder or worktree, or loads the existing conversation with its id. Rejects {@link ApiError} 422 for a folder
 * that the caller may not use or that cannot be made, and as `ConversationHost.create`.
 */
export function makeConversation(
  host: ConversationHost,
  reach: ReachableFolders,
  { wanted, worktree, caller }: Start & { readonly caller: Caller },
): ReturnType<ConversationHost['create']> {
  return reach.start(caller, async () => {
    await checkFolder(reach, caller, worktree ?? { source: wanted.workspace });
    const made = worktree && (await makeWorktree(host, wanted.id, worktree)) ? worktree : undefined;
    if (!worktree) await makeWorkspace(wanted.workspace);
    return create(host, wanted, made);
  });
}

/** Rejects {@link ApiError} 422 for a folder in which the caller may start no conversation, and for a worktree of such a repository. */
async function checkFolder(
  reach: ReachableFolders,
  caller: Caller,
  { source, repository }: Pick<WorktreePlan, 'source'> & Partial<Pick<WorktreePlan, 'repository'>>,
): Promise<void> {
  const isRefused = !(await reach.mayStartIn(caller, source));
  if (!isRefused && (repository === undefined || (await reach.reaches(caller, repository)))) return;
  const [what, folder] = isRefused ? ['folder', source] : ['repository', repository];
  throw invalidMember(
    ['workspace', 'working_dir'],
    `the key in X-Session-API-Key is limited: expected ${caller.limits?.folders ? 'a folder that it names' : 'a new folder without a hidden one on its path'}, or one of a conversation that it may know, found the ${what} ${folder}`,
  );
}

/** Makes the conversation. Removes its worktree again if that fails. */
async function create(
  host: ConversationHost,
  wanted: NewConversation,
  worktree: WorktreePlan | undefined,
): ReturnType<ConversationHost['create']> {
  try {
    return await host.create(wanted);
  } catch (error) {
    if (worktree) await releaseWorktree(host, wanted.id, worktree);
    throw error;
  }
}

import { resolve } from 'node:path';
import { errorText } from '@conv/core';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { invalidMember, type ApiError } from '../http/api-error.ts';
import { AllowedFolders, PathError } from '../workspace/allowed-folders.ts';
import { makeFolders } from '../workspace/folders.ts';
import { WrongChoice, type Worktree, type WorktreeChoice, type WorktreePlan } from '../workspace/worktree.ts';

/** Resolves with the absolute folder of a conversation. Rejects {@link ApiError} 422 unless it is below one of `roots`. */
export async function checkedWorkspace(workingDir: string, roots: readonly string[] = ['/']): Promise<string> {
  try {
    return await new AllowedFolders(roots).check(resolve(workingDir));
  } catch (error) {
    if (error instanceof PathError) throw refused(error.message, error);
    throw refused('it cannot be read; let the server read it, or name another folder', error);
  }
}

/** Makes the folder unless it exists. Rejects {@link ApiError} 422 if that fails. */
export async function makeWorkspace(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw refused(`the folder cannot be made (${code}); let the server write there, or name another folder`, error);
  }
}

/**
 * Resolves with the plan of a worktree for the folder; `undefined` without a repository, or for a repository without a commit.
 * The conversation works in the folder itself then, as with OpenHands' server. Rejects {@link ApiError} 422 for a repository that
 * is not below one of the roots, for a ref that it does not have, and for a beginning of a branch that git refuses.
 */
export async function planWorktree(
  { worktrees, options: { workspaceRoots } }: ConversationHost,
  id: string,
  folder: string,
  choice: WorktreeChoice = {},
): Promise<WorktreePlan | undefined> {
  const { base, ref } = choice;
  if (base === 'ref' && !ref)
    throw invalidMember(['worktree_options', 'ref'], 'expected a branch, tag or commit for the base ref, found none');
  const plan = await worktrees.plan(id, folder, choice).catch((error: unknown) => {
    if (error instanceof WrongChoice) throw invalidMember(['worktree_options', error.member], error.message, error);
    throw error;
  });
  if (plan) await checkedWorkspace(plan.repository, workspaceRoots);
  return plan;
}

/** Makes the worktree; see {@link Worktrees.make}. Rejects {@link ApiError} 422 where git refuses. */
export async function makeWorktree({ worktrees }: ConversationHost, id: string, plan: WorktreePlan): Promise<boolean> {
  try {
    return await worktrees.make(id, plan);
  } catch (error) {
    const reason = errorText(error);
    throw invalidMember(
      'worktree',
      `no worktree of ${plan.repository} can be made: ${reason}; leave it out to work in the folder itself`,
      error,
    );
  }
}

/** Releases the worktree of a deleted conversation. A worktree that cannot be removed is reported, and stays. */
export async function releaseWorktree(host: ConversationHost, id: string, worktree: Worktree): Promise<void> {
  try {
    await host.worktrees.release(worktree, id);
  } catch (error) {
    host.report(error, { conversationId: id, doing: `removing the worktree ${worktree.root}` });
  }
}

function refused(message: string, cause: unknown): ApiError {
  return invalidMember(['workspace', 'working_dir'], message, cause);
}

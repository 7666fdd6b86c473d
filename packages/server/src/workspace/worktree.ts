import type { JsonObject } from '@conv/core';
import type { StartConversationRequest } from '@conv/openhands/rest';

/** A conversation's own git worktree. Paths are absolute. */
export interface Worktree {
  /** The top folder of the worktree. */
  readonly root: string;
  /** The folder in which the conversation works: the counterpart of the requested folder in the worktree. */
  readonly folder: string;
  readonly branch: string;
  /** The requested folder. */
  readonly source: string;
  /** The top folder of the repository that the worktree belongs to. */
  readonly repository: string;
}

/** Choices of a client for a worktree. */
export type WorktreeChoice = Partial<NonNullable<StartConversationRequest['worktree_options']>>;

/** A plan of a worktree that is not made yet. */
export interface WorktreePlan extends Worktree {
  /** The commit that the branch begins at. */
  readonly start: string;
}

/** Error for a choice that a repository cannot have, such as a commit that is not there. */
export class WrongChoice extends Error {
  override readonly name = 'WrongChoice';
  /** The member of the choice. */
  readonly member: 'ref' | 'branch_prefix';

  constructor(member: WrongChoice['member'], message: string) {
    super(message);
    this.member = member;
  }
}

/** Metadata member with a conversation's worktree. */
const KEPT_AS = 'conversation_worktree';

/** Returns the metadata stored for a conversation's worktree. */
export function keptWorktree({ root, folder, branch, source, repository }: Worktree): JsonObject {
  return { [KEPT_AS]: { root, folder, branch, source, repository } };
}

/** Returns the worktree in a conversation's metadata; `undefined` if it has none. */
export function worktreeIn(meta: JsonObject): Worktree | undefined {
  const kept = meta[KEPT_AS];
  if (typeof kept !== 'object' || kept === null) return undefined;
  const { root, folder, branch, source, repository } = kept as Partial<Record<keyof Worktree, unknown>>;
  const texts = [root, folder, branch, source, repository];
  return texts.every((text) => typeof text === 'string') ? (kept as unknown as Worktree) : undefined;
}

/** Returns the instructions that an agent in a worktree is given. */
export function worktreeGuidance({ root, folder, branch, source }: Worktree): string {
  return [
    'This conversation has a git worktree of its own.',
    `- Your working directory: ${folder}`,
    `- Top folder of the worktree: ${root}`,
    `- Branch that is checked out: ${branch}`,
    `- The checkout of the user, which you must not change: ${source}`,
    'Read, edit, test and commit in the worktree alone. If the task deserves a branch with a better name, create it here.',
  ].join('\n');
}

import { z } from 'zod';
import { keptAs, named, orNull, requestAs } from '../../schema/index.ts';

/** Folder of a child: a git worktree of its own if the folder of its parent is in a repository, or the folder of its parent. */
const isolationSchema = named('ChildIsolation', z.enum(['worktree', 'shared']));

/** A task for a child conversation. */
export const startChildRequestSchema = requestAs('StartChildConversationRequest', {
  /** The task, which is the first message of the child. */
  task: z.string().min(1),
  /** Null or empty: a title that follows from the task. */
  title: orNull(z.string().max(200)),
  isolation: isolationSchema.default('worktree'),
});

/** A child conversation that was started. */
export const startChildResponseSchema = keptAs('StartChildConversationResponse', {
  conversation_id: z.string(),
  parent_conversation_id: z.string(),
  /** Status of the child at its start. */
  status: z.string(),
  title: orNull(z.string()),
  /** An address at which people see the child; null where none is known. */
  url: orNull(z.string()),
  /** The folder of the child. */
  workspace: orNull(z.string()),
  /** The folder that the child got: `shared` also where a worktree was asked for and none could be made. */
  isolation: orNull(isolationSchema),
});

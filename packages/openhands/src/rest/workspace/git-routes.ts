import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, integer } from '../../schema/scalars.ts';

/** Kind of a file's change. */
export type GitChangeStatus = 'MOVED' | 'ADDED' | 'DELETED' | 'UPDATED';

/** A file that changed; the path is relative to the repository. */
export interface GitChange {
  readonly status: GitChangeStatus;
  readonly path: string;
}

/** A file before and after; null where it is not there. */
export interface GitDiff {
  readonly modified: string | null;
  readonly original: string | null;
}

/** A commit. */
export interface GitCommit {
  readonly sha: string;
  readonly short_sha: string;
  readonly subject: string;
  readonly author: string;
  readonly timestamp: string;
}

/** The newest commits. */
export interface GitCommitsPage {
  readonly commits: readonly GitCommit[];
  readonly has_more: boolean;
}

const tag = 'Git';
const commitName = z.string().regex(/^[0-9a-fA-F]{4,64}$/);

const changesSchema: z.ZodType<readonly GitChange[]> = z.array(
  named(
    'GitChange',
    answer({ status: named('GitChangeStatus', z.enum(['MOVED', 'ADDED', 'DELETED', 'UPDATED'])), path: z.string() }),
  ),
);

/** Routes of git repositories. */
export const gitRoutes = {
  /** Lists what changed in a repository; nothing outside of one. */
  listChanges: defineRoute(tag, 'GET /api/git/changes', 'git_changes', 'List changed files', {
    query: request({ path: z.string(), ref: orNull(z.string()) }),
    answer: changesSchema,
    errors: { 400: 'There is no such ref.' },
  }),

  /** Gets a file before and after. */
  getDiff: defineRoute(tag, 'GET /api/git/diff', 'git_diff', 'Get a file before and after', {
    query: request({ path: z.string(), ref: orNull(z.string()), commit: orNull(commitName) }),
    answer: named('GitDiff', answer({ modified: z.nullable(z.string()), original: z.nullable(z.string()) })),
    errors: { 400: 'There is no such file, or both `ref` and `commit` are given.' },
  }),

  /** Lists the newest commits; nothing outside of a repository. */
  listCommits: defineRoute(tag, 'GET /api/git/commits', 'git_commits', 'List commits', {
    query: request({ path: z.string(), limit: integer({ minimum: 1, maximum: 200 }).default(50) }),
    answer: named(
      'GitCommitsPage',
      answer({
        commits: z.array(
          named(
            'GitCommit',
            answer({
              sha: z.string(),
              short_sha: z.string(),
              subject: z.string(),
              author: z.string(),
              timestamp: z.string(),
            }),
          ),
        ),
        has_more: boolean(),
      }),
    ),
  }),

  /** Lists what a commit changed. */
  listCommitChanges: defineRoute(
    tag,
    'GET /api/git/commits/{sha}/changes',
    'git_commit_changes',
    'List files that a commit changed',
    {
      params: request({ sha: commitName }),
      query: request({ path: z.string() }),
      answer: changesSchema,
      errors: { 400: 'There is no such commit.' },
    },
  ),
};

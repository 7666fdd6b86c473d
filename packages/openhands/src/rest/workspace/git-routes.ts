import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { searchRepositories } from './git-provider-routes.ts';
import { boolean, integer, keptAs, named, orNull, request } from '../../schema/index.ts';

const tag = 'Git';
/** The schema of a name of a commit. */
export const commitName: z.ZodType<string> = z.string().regex(/^[0-9a-fA-F]{4,64}$/);

const changeSchema = keptAs('GitChange', {
  status: named('GitChangeStatus', z.enum(['MOVED', 'ADDED', 'DELETED', 'UPDATED'])),
  path: z.string(),
});

/** A file that changed; the path is relative to the repository. */
export type GitChange = z.output<typeof changeSchema>;

const diffSchema = keptAs('GitDiff', { modified: z.nullable(z.string()), original: z.nullable(z.string()) });

/** A file before and after; null where it is not there. */
export type GitDiff = z.output<typeof diffSchema>;

const commitSchema = keptAs('GitCommit', {
  sha: z.string(),
  short_sha: z.string(),
  subject: z.string(),
  author: z.string(),
  timestamp: z.string(),
});

/** A commit. */
export type GitCommit = z.output<typeof commitSchema>;

const commitsPageSchema = keptAs('GitCommitsPage', { commits: z.array(commitSchema), has_more: boolean() });

/** The newest commits. */
export type GitCommitsPage = z.output<typeof commitsPageSchema>;

/** Routes of git repositories. */
export const gitRoutes = {
  searchRepositories,

  /** Lists what changed in a repository; nothing outside of one. */
  listChanges: defineRoute(tag, 'GET /api/git/changes', 'git_changes', 'List changed files', {
    scope: 'admin',
    query: request({ path: z.string(), ref: orNull(z.string()) }),
    answer: z.array(changeSchema),
    errors: { 400: 'There is no such ref.' },
  }),

  getDiff: defineRoute(tag, 'GET /api/git/diff', 'git_diff', 'Get a file before and after', {
    scope: 'admin',
    query: request({ path: z.string(), ref: orNull(z.string()), commit: orNull(commitName) }),
    answer: diffSchema,
    errors: { 400: 'There is no such file, or both `ref` and `commit` are given.' },
  }),

  /** Lists the newest commits; nothing outside of a repository. */
  listCommits: defineRoute(tag, 'GET /api/git/commits', 'git_commits', 'List commits', {
    scope: 'admin',
    query: request({ path: z.string(), limit: integer({ minimum: 1, maximum: 200 }).default(50) }),
    answer: commitsPageSchema,
  }),

  listCommitChanges: defineRoute(
    tag,
    'GET /api/git/commits/{sha}/changes',
    'git_commit_changes',
    'List files that a commit changed',
    {
      scope: 'admin',
      params: request({ sha: commitName }),
      query: request({ path: z.string() }),
      answer: z.array(changeSchema),
      errors: { 400: 'There is no such commit.' },
    },
  ),
};

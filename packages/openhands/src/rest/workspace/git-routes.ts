import { z } from 'zod';
import type { Route } from '../route.ts';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, integer } from '../../schema/scalars.ts';

/** What happened to a file. */
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

/** Changes against what. */
export interface GitChangesQuery {
  readonly path: string;
  readonly ref: string | null;
}

/** Which file, and against what: `ref` and `commit` exclude each other. */
export interface GitDiffQuery extends GitChangesQuery {
  readonly commit: string | null;
}

const tag = 'Git';
const commitName = z.string().regex(/^[0-9a-fA-F]{4,64}$/);

const changesSchema: z.ZodType<readonly GitChange[]> = z.array(
  named(
    'GitChange',
    answer({ status: named('GitChangeStatus', z.enum(['MOVED', 'ADDED', 'DELETED', 'UPDATED'])), path: z.string() }),
  ),
);

/** Lists what changed in a repository; nothing outside of one. */
export const listGitChanges: Route<{ query: GitChangesQuery }, readonly GitChange[]> = {
  method: 'GET',
  path: '/api/git/changes',
  operationId: 'git_changes',
  tag,
  summary: 'List changed files',
  auth: 'session',
  query: request({ path: z.string(), ref: orNull(z.string()) }),
  success: 200,
  answer: changesSchema,
  errors: { 400: 'There is no such ref.' },
};

/** Gets a file before and after. */
export const getGitDiff: Route<{ query: GitDiffQuery }, GitDiff> = {
  method: 'GET',
  path: '/api/git/diff',
  operationId: 'git_diff',
  tag,
  summary: 'Get a file before and after',
  auth: 'session',
  query: request({ path: z.string(), ref: orNull(z.string()), commit: orNull(commitName) }),
  success: 200,
  answer: named('GitDiff', answer({ modified: z.nullable(z.string()), original: z.nullable(z.string()) })),
  errors: { 400: 'There is no such file, or both `ref` and `commit` are given.' },
};

/** Lists the newest commits; nothing outside of a repository. */
export const listGitCommits: Route<{ query: { readonly path: string; readonly limit: number } }, GitCommitsPage> = {
  method: 'GET',
  path: '/api/git/commits',
  operationId: 'git_commits',
  tag,
  summary: 'List commits',
  auth: 'session',
  query: request({ path: z.string(), limit: integer({ minimum: 1, maximum: 200 }).default(50) }),
  success: 200,
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
};

/** Lists what a commit changed. */
export const listGitCommitChanges: Route<
  { params: { readonly sha: string }; query: { readonly path: string } },
  readonly GitChange[]
> = {
  method: 'GET',
  path: '/api/git/commits/{sha}/changes',
  operationId: 'git_commit_changes',
  tag,
  summary: 'List files that a commit changed',
  auth: 'session',
  params: request({ sha: commitName }),
  query: request({ path: z.string() }),
  success: 200,
  answer: changesSchema,
  errors: { 400: 'There is no such commit.' },
};

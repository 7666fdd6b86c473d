import { isJsonObject, timers, type Platform } from '@conv/core/platform';
import type { gitRoutes, RouteTypes } from '@conv/openhands/rest';

import { ApiError } from '../http/api-error.ts';

type RepositoryPage = RouteTypes<typeof gitRoutes.searchRepositories>['answer'];
type Repository = RepositoryPage['items'][number];

/** The address of GitHub's API. */
const GITHUB_API = 'https://api.github.com';

/** Names of secrets that are taken for a token of GitHub, in this order. */
const TOKENS = ['github_token', 'GITHUB_TOKEN', 'GH_TOKEN', 'github'] as const;

/** Repositories of one request to GitHub. */
const PAGE = 100;

/** Milliseconds for which a request to GitHub is waited for. */
const LIMIT = 15_000;

/** The most requests to GitHub for one search, because a filter may fit no repository. */
const MAX_PAGES = 50;

/** GitHub's API, and the clock for its answers. */
export interface GithubApi {
  /** Default: {@link GITHUB_API}. */
  readonly address?: string | undefined;
  readonly platform: Platform;
}

/** A search for repositories. */
export interface RepositorySearch {
  readonly query: string | null;
  readonly limit: number;
  /** The number of a page of GitHub, and perhaps behind a colon the repositories of it that are left out. */
  readonly page_id: string | null;
}

/** Resolves with the token for GitHub among stored secrets. */
export async function githubToken(value: (name: string) => Promise<string | undefined>): Promise<string | undefined> {
  for (const name of TOKENS) {
    const token = await value(name);
    if (token) return token;
  }
  return undefined;
}

/** Resolves with the repositories of a token, those with the newest changes first. Rejects {@link ApiError}. */
export async function searchGithub(
  token: string,
  { query, limit, page_id: from }: RepositorySearch,
  at: GithubApi,
): Promise<RepositoryPage> {
  const wanted = query?.toLowerCase();
  const items: Repository[] = [];
  let { page, offset } = placeOf(from);
  for (let asked = 1; ; asked += 1) {
    const { repositories, next } = await pageOf(at, token, page);
    const fitting = repositories.filter(({ full_name: name }) => !wanted || name.toLowerCase().includes(wanted));
    const rest = fitting.slice(offset);
    const room = limit - items.length;
    items.push(...rest.slice(0, room));
    if (rest.length > room) return { items, next_page_id: `${page}:${offset + room}`, missing_token: false };
    if (!wanted || next === null || items.length >= limit || asked >= MAX_PAGES)
      return { items, next_page_id: next, missing_token: false };
    ({ page, offset } = placeOf(next));
  }
}

function placeOf(id: string | null): { readonly page: number; readonly offset: number } {
  const match = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(id ?? '1');
  const page = Number(match?.[1] ?? 0);
  if (page < 1) throw new ApiError(400, 'Invalid repository page_id');
  return { page, offset: Number(match?.[2] ?? 0) };
}

async function pageOf(
  { address = GITHUB_API, platform }: GithubApi,
  token: string,
  page: number,
): Promise<{ readonly repositories: readonly Repository[]; readonly next: string | null }> {
  const url = new URL('/user/repos', address);
  const query = { per_page: PAGE, page, sort: 'pushed', affiliation: 'owner,collaborator,organization_member' };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  using signal = timers.deadline(platform, LIMIT);
  const answer = await asked(url, token, signal);
  if (!answer.ok) throw new ApiError(statusFor(answer.status), 'GitHub repository search failed');
  const found: unknown = await answer.json().catch(() => undefined);
  if (!Array.isArray(found)) throw new ApiError(502, 'GitHub repository search failed');
  return { repositories: found.flatMap(repositoryOf), next: nextIn(answer.headers.get('link')) };
}

async function asked(url: URL, token: string, signal: AbortSignal): Promise<Response> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
    'user-agent': 'conv',
  };
  try {
    // a redirect could take the token elsewhere
    return await fetch(url, { headers, redirect: 'error', signal });
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError';
    throw isLate
      ? new ApiError(504, 'GitHub repository search timed out', { cause })
      : new ApiError(502, 'GitHub repository search failed', { cause });
  }
}

function statusFor(status: number): number {
  if (status === 401 || status === 403) return status;
  return status >= 500 ? 502 : 400;
}

/** Returns the number of the next page in a `Link` header. */
function nextIn(link: string | null): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return next !== undefined && URL.canParse(next) ? new URL(next).searchParams.get('page') : null;
}

function repositoryOf(found: unknown): readonly Repository[] {
  if (!isJsonObject(found)) return [];
  const { id, full_name: name, stargazers_count: stars, pushed_at, default_branch: branch } = found;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return [
    {
      id: typeof id === 'number' ? String(id) : (text(id) ?? ''),
      full_name: text(name) ?? '',
      git_provider: 'github',
      is_public: found['private'] !== true,
      stargazers_count: Number.isInteger(stars) ? (stars as number) : null,
      pushed_at: text(pushed_at),
      main_branch: text(branch),
    },
  ];
}

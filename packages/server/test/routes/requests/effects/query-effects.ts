import { acts, each, noOp, type Effects } from '../effect.ts';
import { folders, shown } from './shared-effects.ts';
import {
  archive,
  audit,
  catalog,
  events,
  find,
  git,
  gitProviders,
  members,
  newer,
  past,
  streams,
  workspaceFiles,
} from './test-files.ts';

const pages = acts(find, 'a search page by page, in each order, sees each conversation once');
const found = acts(events, 'events are found by kind, short or dotted, by source, by words and by time');
const listed = acts(events, 'events are listed page by page in the order of the log and against it');
const foundBash = acts(members, 'each member of a search for events of commands narrows it');

/** Effects of the members of the queries of routes. */
const QUERIES: Effects = {
  'POST /api/conversations': { include_skills: shown },
  'GET /api/audit': {
    ...each(
      ['cursor', 'limit'],
      acts(audit, 'P10: the trail tells who started, ran and approved, each with its time, in pages of any size'),
    ),
    ...each(['conversation', 'key', 'from', 'until'], acts(audit, 'the trail is read by conversation, key and time')),
  },
  'GET /api/conversations': {
    ids: acts(find, 'a search by ids keeps their order, and has null for a missing conversation'),
    include_skills: shown,
  },
  'GET /api/conversations/search': {
    ...each(['page_id', 'limit', 'sort_order'], pages),
    status: acts(find, 'a search by status counts and lists the matching conversations alone'),
    include_skills: shown,
  },
  'GET /api/conversations/count': {
    status: acts(find, 'a search by status counts and lists the matching conversations alone'),
  },
  'GET /api/conversations/{conversation_id}': { include_skills: shown },
  'POST /api/conversations/{conversation_id}/fork': { include_skills: shown },
  'POST /api/conversations/{conversation_id}/navigate': { include_skills: shown },
  'GET /api/conversations/{conversation_id}/commits': each(
    ['after', 'limit'],
    acts(past, 'P6: the commits of a conversation, page by page, fold to its state; its state at each is told'),
  ),
  'GET /api/conversations/{conversation_id}/state': {
    at: acts(past, 'P6: the commits of a conversation, page by page, fold to its state; its state at each is told'),
    event: acts(past, 'P6: the commits of a conversation, page by page, fold to its state; its state at each is told'),
  },
  'GET /api/conversations/{conversation_id}/outline': each(
    ['after', 'buckets', 'within'],
    acts(past, 'the outline of a log has its marks, as many as asked for, from an event on, and in parts'),
  ),
  'GET /api/conversations/{conversation_id}/view': each(
    ['at', 'event', 'from', 'limit'],
    acts(past, 'the view at a commit or an event has the messages of the model, page by page'),
  ),
  'GET /api/conversations/{conversation_id}/events/search': {
    ...each(['kind', 'source', 'body', 'timestamp__gte', 'timestamp__lt'], found),
    ...each(['page_id', 'limit', 'sort_order'], listed),
    text: acts(events, 'events are found by a text in what people and the model read of them'),
  },
  'GET /api/conversations/{conversation_id}/events/count': {
    ...each(['kind', 'source', 'body', 'timestamp__gte', 'timestamp__lt'], found),
    text: acts(events, 'events are found by a text in what people and the model read of them'),
  },
  'GET /api/conversations/{conversation_id}/events': {
    ids: acts(events, 'events are got one by one, and together in the order asked for, null where there is none'),
  },
  'GET /api/conversations/{conversation_id}/stream': {
    after: acts(
      streams,
      'P11: the stream sends the events after a number, whose ids are their numbers, and then the state',
    ),
    follow: acts(
      streams,
      'a stream that is not followed ends when everything was sent, and a HEAD request has no body',
    ),
    ticket: acts(streams, 'a ticket opens one stream and nothing else, and a key in its place opens none'),
  },
  'GET /api/conversations/{conversation_id}/events/poll': each(
    ['after', 'limit', 'wait'],
    acts(streams, 'P11: a request waits for the next event, and lists what is there by pages'),
  ),
  'GET /api/bash/bash_events/search': each(
    ['kind__eq', 'command_id__eq', 'timestamp__gte', 'timestamp__lt', 'order__gt', 'sort_order', 'page_id', 'limit'],
    foundBash,
  ),
  'POST /api/file/upload': {
    path: acts(workspaceFiles, 'files go up byte by byte, with the folders above them, and down again'),
  },
  'GET /api/file/download': {
    path: acts(workspaceFiles, 'files go up byte by byte, with the folders above them, and down again'),
  },
  'POST /api/file/create_directory': {
    path: acts(workspaceFiles, 'folders are made, listed by pages, and refused where a file stands'),
  },
  'GET /api/file/home': { include_hidden: acts(workspaceFiles, 'folders begin at the home folder') },
  'GET /api/file/search_subdirs': each(
    ['path', 'page_id', 'limit', 'include_hidden'],
    acts(workspaceFiles, 'folders are made, listed by pages, and refused where a file stands'),
  ),
  'GET /api/file/archive': {
    ...each(['path', 'format'], acts(workspaceFiles, 'folders are packed, and a change in one is a patch')),
    base_ref: acts(archive, 'a patch refuses a base that is unknown, and a folder without a repository'),
    use_default_excludes: acts(members, 'use_default_excludes of an archive and limit of commits hold'),
    exclude: acts(workspaceFiles, 'folders are packed, and a change in one is a patch'),
  },
  'GET /api/git/changes': {
    path: acts(git, 'git tells what was added, changed, deleted and moved, and what it does not track'),
    ref: acts(git, 'git compares with the named commit, and refuses an unknown one and an option'),
  },
  'GET /api/git/diff': each(
    ['path', 'ref', 'commit'],
    acts(git, 'git gives both sides of a file, now and in a commit'),
  ),
  'GET /api/git/commits': each(
    ['path', 'limit'],
    acts(members, 'use_default_excludes of an archive and limit of commits hold'),
  ),
  'GET /api/git/commits/{sha}/changes': { path: acts(git, 'git lists commits, newest first, and what each changed') },
  'GET /api/settings/secrets': {
    agent_profile_id: acts(newer, 'an agent of a profile with secret_refs gets these secrets alone'),
  },
  'GET /api/llm/models': { provider: acts(catalog, 'clients are told of models') },
  'DELETE /api/workspaces': { path: folders },
  'DELETE /api/workspaces/parents': { path: folders },
  'GET /api/vscode/url': each(['base_url', 'workspace_dir'], noOp('this server has no editor, and answers 503')),
  'GET /api/desktop/url': { base_url: noOp('this server has no desktop, and answers 503') },
  'GET /api/conversations/{runtime_conversation_id}/desktop/url': {
    base_url: noOp('this server has no desktop, and answers 503'),
  },
  'GET /api/canvas-extensions/installed/{extension_name}/backend/logs': {
    limit_bytes: noOp('no program of an extension runs here, so that there is no output'),
  },
  'GET /api/git/repositories/search': {
    provider: acts(gitProviders, 'a provider is not asked without a token, and other providers are not supported'),
    ...each(
      ['query', 'limit', 'page_id'],
      acts(gitProviders, 'a stored token lists repositories, by query, limit and page_id'),
    ),
  },
};

/** The workspace of a conversation has the members of the machine. */
const MACHINE = /^([A-Z]+) \/api\/((?:bash|git(?!\/repositories)|vscode)\/|file\/(?!home|search))/;

export const QUERY_EFFECTS: Effects = {
  ...QUERIES,
  ...Object.fromEntries(
    Object.entries(QUERIES).flatMap(([route, effects]) =>
      MACHINE.test(route)
        ? [[route.replace(MACHINE, '$1 /api/conversations/{runtime_conversation_id}/$2'), effects]]
        : [],
    ),
  ),
};

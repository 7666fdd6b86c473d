import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { differences } from './difference.mjs';
import { compareVersions } from './releases.mjs';
import { ANSWERS } from './same-answers-cases.mjs';
import { KEY, startOurServer, startTheirServer } from './servers.mjs';

/** Opens OpenHands' server and ours beside each other: a case sends the same requests to both, and compares what they answer. */
export async function sameAnswers({ folder, reference }) {
  const { version } = await reference;
  const project = join(folder, 'project');
  await mkdir(join(project, '.agents', 'agents'), { recursive: true });
  await writeFile(join(project, '.agents', 'agents', 'reviewer.md'), REVIEWER);
  const places = await Promise.all(['ours', 'theirs'].map((name) => makePlace(folder, name)));
  const [ours, theirs] = await startBoth(places, reference);
  return {
    async run(name) {
      if (name !== 'deferred-init') return run(name, { ours, theirs });
      const waiting = await Promise.all(['ours-waiting', 'theirs-waiting'].map((each) => makePlace(folder, each)));
      const [first, second] = await startBoth(waiting, reference, {
        OH_DEFERRED_INIT: 'true',
        OH_SESSION_API_KEYS_0: undefined,
      });
      try {
        await run(name, { ours: first, theirs: second });
      } finally {
        await Promise.all([first.close(), second.close()]);
      }
    },
    async close() {
      await Promise.all([ours.close(), theirs.close()]);
    },
  };

  /** Sends the requests of a case to both servers. */
  async function run(name, servers) {
    const requests = ANSWERS[name];
    if (requests === undefined) throw new Error('there is no such case');
    const document = await (await fetch(`${servers.theirs.url}/openapi.json`)).json();
    const had = requests({ project, document }).filter(
      ({ since, before }) =>
        (since === undefined || compareVersions(version, since) >= 0) &&
        (before === undefined || compareVersions(version, before) < 0),
    );
    const seen = { ours: [], theirs: [] };
    const others = [];
    for (const request of had) {
      seen.ours.push(await ask(servers.ours.url, request, seen.ours));
      seen.theirs.push(await askTheirs(servers.theirs.url, request, seen.theirs));
      others.push(...differencesOf(request, seen.ours.at(-1), seen.theirs.at(-1)));
    }
    if (others.length > 0) throw new Error(others.join('\n'));
  }
}

function startBoth([ourPlace, theirPlace], reference, variables) {
  return Promise.all([
    startOurServer(ourPlace, reference, variables),
    startTheirServer(theirPlace, reference, variables),
  ]);
}

const REVIEWER = `---
name: reviewer
description: Reads a change. <example>Review this.</example>
tools: [terminal]
permission_mode: always_confirm
max_iteration_per_run: 4
color: blue
team: core
---

You review code.
`;

async function makePlace(folder, name) {
  const place = join(folder, name);
  await mkdir(place, { recursive: true });
  return place;
}

/** Asks a server. A path and a body may be functions of the answers before. */
async function ask(url, { method, path, body, headers = {}, text: isText = false }, before) {
  const of = (part) => (typeof part === 'function' ? part(before) : part);
  const sent = of(body);
  const response = await fetch(url + of(path), {
    method,
    headers: withoutAbsent({ 'x-session-api-key': KEY, 'content-type': 'application/json', ...headers }),
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : isText ? text : JSON.parse(text) };
}

const withoutAbsent = (headers) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

/** Asks OpenHands' server. It ends its connection after a failure, which an answer does not say. */
async function askTheirs(url, request, before) {
  try {
    return await ask(url, request, before);
  } catch (error) {
    if (before.at(-1)?.status !== 500) throw error;
    return ask(url, request, before);
  }
}

/** Returns where the answers differ in more than ids, times, and the words of a refusal where `words` says so. */
function differencesOf({ method, path, wrong, look = (body) => body, words = false, isMended = false }, ours, theirs) {
  if (isMended && theirs.status === 500 && ours.status >= 400 && ours.status < 500) return [];
  const shown = ({ status, body }) => ({
    status,
    ...(words && status >= 400 ? {} : { body: alike(status < 300 ? look(body) : body) }),
  });
  const places = differences(shown(theirs), shown(ours));
  return places.length > 0
    ? [`${method} ${path}${wrong === undefined ? '' : ` (${wrong})`}: ${places.join('; ')}`]
    : [];
}

/** Returns an answer without what no two servers have alike. */
function alike(value, name = '') {
  if (Array.isArray(value)) return value.map((item) => alike(item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        // ours says under which id the failure is in its log
        .filter(([key]) => key !== 'error_id')
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([key, member]) => [key, alike(member, key)]),
    );
  if (name.endsWith('_at') && typeof value === 'number') return 'a time';
  return typeof value === 'string' ? value.replaceAll(/\b[0-9a-f]{32}\b/g, 'an id') : value;
}

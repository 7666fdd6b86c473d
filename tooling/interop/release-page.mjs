import { answerTo, isLeftOut, leftOutLines, membersAnswer, missingLine } from './release-answers.mjs';
import { knownDifferenceLines } from './known-differences.mjs';

/** The beginning of the page, before its parts about releases. */
export const HEAD = `# OpenHands' releases

The changes of each release of OpenHands that other programs see, and what this project does with them. \`npm run openhands:diff\` compares the
releases and writes this page. \`npm run interop:releases\` runs the programs of the oldest and of the newest release against ours.

A kind of event that is not known here is kept, passed on to clients and shown with its name. A member that is not known is kept in events
and ignored in requests. A key of settings that is not known is kept and shown; a variable \`OH_*\` that is not known has no effect. A capability that
is not known changes nothing. [openhands-requests.md](openhands-requests.md) lists the members of requests one by one.

## What is left out

Routes of features that are not here answer as OpenHands' server does while they are unused, so that clients see the release.

${leftOutLines().join('\n')}

## Differences that the matrix knows

\`npm run interop -- --release 1.43.1,newest\` fails for every difference that has no line here.

${knownDifferenceLines().join('\n')}

## Where newer things are kept

\`SecurityAnalysisEvent\` is written only into conversations that are made with \`openhands: '>=1.54'\`, because an event of an unknown kind stops every
program of 1.43.1 that reads it. Files and answers have no other newer member of events: \`ActionEvent.message\` is a property in Python.

An SDK from 1.45 on keeps the number of events in the name of a marker file beside them. Ours removes the marker before it writes an event.

\`POST /api/mcp/oauth/start\` and its answers are those of OpenHands, but for three things. There is no \`oauth_state\`, because tokens stay on this server, where conversations find them by
the address of the MCP server. The browser comes back to this server, and not to a port of its own. A server at which the caller has logged in needs no address, and its job has ended.

\`ACPAgent\` is another program as there, with these differences. What the program asks permission for is decided by the policy of the conversation, and is not allowed at once. Its mode is one in which it
asks, if the policy does, else its own default, and not a mode without questions. A known \`acp_server\` without a command is the program that the operator has installed, and none is fetched. The program gets the secrets of
the conversation, and no other variables of the server than the usual ones; \`acp_env\`, which OpenHands removed in 1.29, is not kept, as there. Its answer is a message, and no call of \`finish\`. A key needs the right to approve to start it.

\`deferred_init\` and \`bash_events_retention_seconds\` are served, and \`POST /api/init\` answers as OpenHands' server does, with these differences. The server does not start without a
secret key, which would leave the route open to every client. A configuration that its sender can mend is answered with 422, and not with 500; session keys that can be guessed are refused, and so is a request that leaves the server without any. A
socket of a server that waits is refused with 503; there the close code 1013 never leaves the server, and clients get 403, as for a wrong key. The routes below \`/v1\` wait,
as in later releases than 1.43.1. Events of commands are forgotten at their age, and not by a later sweep.

\`conversation_storage_retention_days\` and \`conversation_storage_disk_budget\` have no effect: they delete homes and workspaces that OpenHands' server made for containers. This server makes no
workspace, and nothing that belongs to a conversation is deleted here without a request for it.
`;

/** @type {Record<string, string>} */
const TITLES = {
  routes: 'Routes',
  sockets: 'Sockets',
  events: 'Events',
  actions: 'Actions of tools',
  observations: 'Observations of tools',
  schemas: 'Objects of requests and answers',
  folder: 'Files of a folder',
  settings: 'Settings',
};

/**
 * Returns the page as text.
 *
 * @param {{ version: string, changes: import('./compare-releases.mjs').Change[] }[]} releases
 * @param {import('./our-members.mjs').Ours} ours what is served and typed here
 * @param {{ version: string, names: readonly string[] }} missing what the newest of them has and this server does not
 */
export function releasePage(releases, ours, missing) {
  const sections = releases.map(({ version, changes }) => {
    const parts = Object.keys(TITLES).flatMap((part) => partOf(part, changes, ours));
    return `## ${version}\n\n${parts.length === 0 ? 'Nothing that others see.\n' : parts.join('\n')}`;
  });
  const absent = missing.names.filter((name) => !isLeftOut(name)).map(missingLine);
  const rest = absent.length === 0 ? 'Nothing.' : absent.join('\n');
  return `${HEAD}\n## Everything else of ${missing.version} that is not here\n\n${rest}\n\n${sections.join('\n')}`;
}

/**
 * @param {string} part
 * @param {import('./compare-releases.mjs').Change[]} changes
 * @param {import('./our-members.mjs').Ours} ours
 * @returns {string[]}
 */
function partOf(part, changes, ours) {
  const own = changes.filter((change) => change.part === part);
  if (own.length === 0) return [];
  return [`### ${TITLES[part]}\n\n${own.map((change) => lineOf(change, ours)).join('\n')}\n`];
}

/**
 * @param {import('./compare-releases.mjs').Change} change
 * @param {import('./our-members.mjs').Ours} ours
 * @returns {string}
 */
function lineOf({ part, name, change, added = [], removed = [] }, ours) {
  const names = (/** @type {string[]} */ list) => list.map((member) => `\`${member}\``).join(', ');
  if (change === 'removed') return `- removed: \`${name}\``;
  if (change === 'added')
    return [`- new: \`${name}\``, answerTo(part, name, ours.served, ours.typed)].filter(Boolean).join('. ');
  const parts = [
    ...(added.length > 0 ? [`new ${names(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${names(removed)}`] : []),
  ];
  const answer = added.length > 0 ? `. ${membersAnswer(part, name, added, ours)}.` : '';
  return `- \`${name}\`: ${parts.join('; ')}${answer}`;
}

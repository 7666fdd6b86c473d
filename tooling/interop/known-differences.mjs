/**
 * Differences between what OpenHands' servers do and what ours does that the matrix expects: by the pair and its cases, what differs and why. A case of
 * `cases.json` that says "their server" has an entry here, and so has a request that some releases are not asked.
 *
 * @type {readonly { pair: string, cases: readonly string[], what: string, why: string }[]}
 */
export const KNOWN_DIFFERENCES = [
  {
    pair: 'our-client/openhands-server',
    cases: ['ask-during-run'],
    what: 'The server of 1.43.1 fails at a side question while a call is open, later ones answer',
    why: 'It gives the model a call without a result',
  },
  {
    pair: 'our-client/openhands-server',
    cases: ['confirm-some'],
    what: 'Single calls cannot be approved: `UNSUPPORTED`',
    why: "OpenHands' server has one answer for all calls that wait",
  },
  {
    pair: 'our-client/openhands-server',
    cases: ['fork', 'fork-from-event', 'fork-open-calls'],
    what: 'The client gives a fork the key of its model again',
    why: "OpenHands' server copies a conversation without its secrets",
  },
  {
    pair: 'our-client/openhands-server',
    cases: ['client-tools'],
    what: "A call of a client's tool cannot be answered by its caller: `UNSUPPORTED`",
    why: "OpenHands' server acknowledges such a call at once",
  },
  {
    pair: 'our-client/openhands-server',
    cases: ['limits'],
    what: 'Limits of a running conversation cannot be changed: `UNSUPPORTED`',
    why: "OpenHands' server has no such route",
  },
  {
    pair: 'our-client/openhands-server',
    cases: ['time-travel'],
    what: 'Past states cannot be read: `UNSUPPORTED`',
    why: "OpenHands' server gives no commits",
  },
  {
    pair: 'openhands-server/our-server',
    cases: ['provider-connections', 'meta-profiles'],
    what: 'Earlier releases take a masked key of a provider, and settings that name rules which do not exist',
    why: 'Later ones refuse both, and ours does as they do',
  },
  {
    pair: 'openhands-server/our-server',
    cases: ['deferred-init'],
    what: '1.43.1 answers `GET /v1/models` while it waits, and takes an empty session key',
    why: 'Later ones refuse both, and ours does as they do',
  },
  {
    pair: 'openhands-server/our-server',
    cases: [
      'meta-profiles',
      'provider-connections',
      'git-repositories',
      'deferred-init',
      'left-out',
      'llm-profiles',
      'agent-profiles',
      'kept-secrets',
      'kept-settings',
      'no-conversation',
      'one-conversation',
      'bash',
      'files',
      'git',
      'catalogs',
    ],
    what: 'Some refusals are in other words, and a failure has an `error_id`',
    why: 'Ours name what was expected, what was found and what to do, and the id is that of the entry in its log',
  },
  {
    pair: 'openhands-server/our-server',
    cases: ['llm-profiles', 'agent-profiles', 'kept-secrets', 'kept-settings', 'no-conversation', 'one-conversation'],
    what: 'Earlier releases delete a model that agent profiles name, take a masked secret, resolve profiles otherwise, and are not asked all of it',
    why: 'Ours does as later ones do',
  },
  {
    pair: 'openhands-server/our-server',
    cases: ['wrong-requests'],
    what: 'A wrong request that the server fails at is refused, a message may be a text, a wrong key of a server that needs no configuration is not told from a right one, and requests below `/v1` and to earlier releases are not compared',
    why: "A failure says nothing to its sender, an answer about a key would help to guess it, and refusals below `/v1` have the form of OpenAI's API",
  },
  {
    pair: 'python-client/our-server',
    cases: ['session-socket'],
    what: 'The numbered socket has a frame of its own, `tool_output`, which the models of 1.58 refuse',
    why: 'It shows the output of a command that runs; no client of OpenHands for Python opens this socket, and other clients pass over types that they do not know',
  },
  {
    pair: 'folders',
    cases: ['ratings'],
    what: 'Ratings as events are refused by releases before 1.54',
    why: 'Their reader knows no such event, so that a folder has them only if its conversation was made for `>=1.54`',
  },
];

/** Returns the differences as lines of a list. */
export function knownDifferenceLines() {
  return KNOWN_DIFFERENCES.map(
    ({ pair, cases, what, why }) => `- \`${pair}\`, ${cases.map((name) => `\`${name}\``).join(', ')}: ${what}. ${why}.`,
  );
}

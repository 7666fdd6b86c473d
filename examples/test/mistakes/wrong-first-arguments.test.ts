import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { errorText } from '@conv/core';
import { afterAll, expect, test } from 'vitest';

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'conv-wrong-arguments-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Values that no caller means, by their names in failures. */
const WRONG: Readonly<Record<string, unknown>> = {
  null: null,
  undefined,
  'a number': 1,
  'a text': join(folder, 'x'),
  'an empty object': {},
};

/** Functions that check nothing, by entry point, with the reason. `*` stands for all of an entry point. */
const UNCHECKED: Readonly<Record<string, readonly [reason: string, names: string]>> = {
  '@conv/openhands/rest': ['called with what a schema has read', '*'],
  '@conv/openhands/folder': ['called with what a schema has read', '*'],
  '@conv/openhands/descriptions': ['called with what a schema has read', '*'],
  '@conv/openhands/analyzers': ['called with a place and a description that names its kind', '*'],
  '@conv/openhands/references': ['called with parts of configurations that were read', '*'],
  '@conv/openhands/client-tools': ['called with what a schema has read', 'clientTool'],
  '@conv/openhands/messages': [
    'called with events that readEvent returned',
    'classifyError estimateTokens eventsToMessages modelViewOf observationContent runReason stopReason toChatMessages toLlmMessage toResponsesInput',
  ],
  '@conv/core': [
    'parts of runtimes and agents, called for each event or text',
    'abortable checkOptionNames ConversationState foldJournal fromWholeWord impliedSecretKind markErrors maskJson shouldConfirm truncateMiddle',
  ],
  '@conv/core/events': [
    'called for each event, with what readEvent or a draft function returned',
    'agentMessage contentParts createClock eventBytes eventToJson isAction isEvent isObservation isText joinedText narrowEvent stampEvent',
  ],
  '@conv/core/platform': ['parts of all packages', '*'],
  '@conv/core/store': [
    'parts of stores, called with what they have read',
    'conversationSummary forkCommits readEvents',
  ],
  '@conv/core/tool': ['tells tools that are checked from each other', 'isToolFactory'],
  '@conv/store-kit': [
    'parts of stores, called for each commit',
    `acknowledge bodyBytes bodyJson checkCommits checkJournal checkMilliseconds columnsIn commitJson
      commitTooLarge consecutiveNumbers FeedReader findEvent foreignLog forkState isOtherSnapshot isStandIn listPages LoadedJournal numberedCommit numbersOf ownedBy readCommit readCommitBody selectPage settingsText standIns stateAfter
      summaryColumns summaryIn toCommitBody watchCommits withDamage`,
  ],
  '@conv/store-kit/registry': [
    'parts of registries, called with what they have read',
    'conflict listEntries listRows rowEntry storedRecord',
  ],
  '@conv/store-kit/system': ['parts of stores', '*'],
  '@conv/conformance': ['an agent for tests', 'ScriptedAgent'],
  '@conv/egress': [
    'made or called with what checkedHosts or a lookup returned',
    'AddressRefusedError guardedAddresses Hosts isPublic',
  ],
  '@conv/egress/within-origin': ['called in place of fetch by clients of servers', 'fetchWithinOrigin'],
  '@conv/agent': [
    'called with what loadPlugin or loadProjectAgentDefinitions returned',
    'describeAgentDefinition describeSkill describeSubAgent',
  ],
  '@conv/plugins': [
    'called with what a schema has read, or with the folder of a snapshot',
    'parseSource readMarketplace withoutCredentials',
  ],
  '@conv/a2a': ['parts of servers, called with a conversation that is open and what it told', 'callMessages readTask'],
  '@conv/a2a-push': [
    'parts of servers, called with what configsIn and readTask returned',
    'nextNotification notificationRequest',
  ],
  '@conv/turns': [
    'parts of adapters, called with what they have read',
    'allowsMore answerToQuestion approvalFor approveAlways argumentsOf askAgain begunBy checkMessage eventStreamResponse isClientCall isFinish itemEnd kindOf kindText messageEventId namedDecisions pageOfTurns questionEnd questionNotes refusalStatus rest standingApprovals stopTurn takeRequest tokenCounts turnId turnPlace waitsForClient waitsForPerson',
  ],
  '@conv/local': ['made by openLocalConversation', 'LocalConversation'],
  '@conv/local/log': [
    'called with a state, an event or metadata of a log, or with a transaction',
    'checkNewest decisionIn leavesSandbox setMeta',
  ],
  '@conv/remote': ['made by openRemoteConversation', 'RemoteConversation'],
  '@conv/server': ['called with an instance or a request of Fastify', 'conversationIn serveStudio'],
  '@conv/server/access': ['made by open', 'NamedKeys'],
  '@conv/visualize/text': ['called for each line', 'plainJson plainLine'],
  '@conv/visualize/timeline': ['called with what a timeline has', 'fileDiff ownArguments'],
  '@conv/visualize/react': ['components, called by React with checked properties', '*'],
};

/** An exported function or class. */
interface Exported {
  readonly entry: string;
  readonly name: string;
  readonly call: (first: unknown) => unknown;
}

async function exportedFunctions(): Promise<readonly Exported[]> {
  const found = new Map<unknown, Exported>();
  for (const each of readdirSync(packages)) {
    const { name: of, exports } = JSON.parse(readFileSync(join(packages, each, 'package.json'), 'utf8')) as {
      name: string;
      exports: Readonly<Record<string, string | { readonly default: string }>>;
    };
    for (const [path, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      const url = pathToFileURL(join(packages, each, target.default)).href;
      const members = (await import(url)) as Readonly<Record<string, unknown>>;
      for (const [name, member] of Object.entries(members)) {
        if (typeof member !== 'function' || found.has(member)) continue;
        const isClass = Function.prototype.toString.call(member).startsWith('class');
        const call = (first: unknown): unknown =>
          isClass ? Reflect.construct(member, [first]) : Reflect.apply(member, undefined, [first]);
        found.set(member, { entry: of + path.slice(1), name, call });
      }
    }
  }
  return [...found.values()];
}

/** Resolves with the error of a call; `undefined` when the value was taken. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const made = (await call()) as AsyncIterator<unknown> | undefined;
    if (made && typeof made === 'object' && Symbol.asyncIterator in made && 'next' in made) await made.next();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** True for an error that this project wrote: with one of its codes, or saying what was expected. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message, name } = error as Error & { readonly code?: unknown };
  if (name !== 'TypeError' && typeof code === 'string') return true;
  return name !== 'ZodError' && /: (?:expected|there is no option)|^expected/.test(message);
}

function isUnchecked({ entry, name }: Exported): boolean {
  const [, names = ''] = UNCHECKED[entry] ?? [];
  return names === '*' || names.split(/\s+/).includes(name);
}

const functions = await exportedFunctions();

test('P13: a wrong first argument of an exported function is answered by this project, never from inside', async () => {
  const failures: string[] = [];
  for (const exported of functions.filter((each) => !isUnchecked(each)))
    for (const [value, first] of Object.entries(WRONG)) {
      const error = await errorOf(() => exported.call(first));
      if (error !== undefined && !isAnswer(error))
        failures.push(`${exported.entry} ${exported.name}, ${value}: ${errorText(error)}`);
    }
  expect(failures).toEqual([]);
  expect(functions.length).toBeGreaterThan(200);
});

test('P13: every function that checks nothing stands in the list with a reason, and no other function', async () => {
  const needless: string[] = [];
  for (const [entry, [reason, names]] of Object.entries(UNCHECKED)) {
    expect(reason).not.toBe('');
    for (const name of names === '*' ? [] : names.split(/\s+/)) {
      const exported = functions.find((each) => each.entry === entry && each.name === name);
      const errors = await Promise.all(Object.values(WRONG).map((first) => errorOf(() => exported?.call(first))));
      if (errors.every((error) => error === undefined || isAnswer(error))) needless.push(`${entry} ${name}`);
    }
  }
  expect(needless).toEqual([]);
});

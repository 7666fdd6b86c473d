import type { Api } from './api.ts';
import { RequestError } from './request-error.ts';
import { serverRequests, studioRequests } from './requests.ts';

/** The server that the page came from, as far as it is known. */
export interface Server {
  readonly version: string;
  readonly capabilities: ReadonlySet<string>;
  /** The reason why nothing can be changed; `null` if it can. */
  readonly readOnly: string | null;
  /** Names of tools that new conversations may use. */
  readonly tools: readonly string[];
  /** A sentence about what confines commands. */
  readonly confining: string;
  /** Where the conversations are stored, for people. */
  readonly place: string;
  /** True if it says which other process writes a conversation. */
  readonly tellsOwners: boolean;
}

/** Names of the capabilities that the page asks for, with what is missing without them. */
const FEATURES: readonly (readonly [capability: string, missing: string])[] = [
  ['commits_v1', 'Past states and the time machine'],
  ['session_socket_v1', 'Text that streams in while it is written, and exact event numbers'],
  ['approvals_v1', 'Approving single calls: all that wait are approved or rejected together'],
  ['settings_v1', 'Changing limits of a conversation, and removing its title'],
  ['call_answers_v1', 'Answering calls of client tools'],
  ['idempotency_v1', 'Safe repeats: look at the list before you start the same conversation again'],
];

/** Returns what a server lacks, a sentence for each feature. */
export function missingFeatures({ capabilities }: Pick<Server, 'capabilities'>): readonly string[] {
  return FEATURES.filter(([name]) => !capabilities.has(name)).map(([, missing]) => missing);
}

interface SaidPlace {
  readonly place?: unknown;
  readonly model?: unknown;
}

interface SaidInfo {
  readonly version?: unknown;
  readonly capabilities?: unknown;
  readonly read_only?: unknown;
  readonly usable_tools?: unknown;
  readonly sandbox?: unknown;
  readonly unconfined?: unknown;
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Reads the server's description of itself, and the place of the conversations of studio's own server. */
export async function readServer(api: Api): Promise<Server> {
  const [info, place] = await Promise.all([
    api.call<SaidInfo>(serverRequests.getInfo).catch(ignoreMissing),
    api.call<SaidPlace>(studioRequests.getPlace).catch(ignoreMissing),
  ]);
  const { version, capabilities, read_only: readOnly, usable_tools: tools } = info ?? {};
  return {
    version: typeof version === 'string' ? version : 'unknown',
    capabilities: new Set(texts(capabilities)),
    readOnly: typeof readOnly === 'string' ? readOnly : null,
    tools: texts(tools),
    confining: confiningIn(info ?? {}),
    place: typeof place?.place === 'string' ? place.place : new URL(api.origin).host,
    // the server of studio itself, over a store that it may write
    tellsOwners: typeof place?.model === 'string',
  };
}

/** Returns what confines commands. OpenHands' server does not say it. */
function confiningIn({ sandbox, unconfined }: SaidInfo): string {
  const isIn = typeof sandbox === 'string';
  if (!isIn && sandbox !== null) return 'The server does not say what confines commands.';
  // with a sandbox it is about limits that do not hold
  const more = typeof unconfined === 'string' ? ` ${unconfined}` : '';
  return `Commands run ${isIn ? `in a sandbox (${sandbox})` : 'without a sandbox'}.${more}`;
}

interface SaidOwner {
  readonly owner?: unknown;
}

/** Resolves with the name of the other process that writes a conversation, from a server that tells owners; `null` for none. */
export async function readOwner(api: Api, id: string): Promise<string | null> {
  const { owner } = await api.call<SaidOwner>(studioRequests.getOwner, { params: { id } });
  return typeof owner === 'string' ? owner : null;
}

/** An answer without members for a server that has no such route; any other failure passes. */
function ignoreMissing(error: unknown): Record<string, never> {
  if (error instanceof RequestError && error.status === 404) return {};
  throw error;
}

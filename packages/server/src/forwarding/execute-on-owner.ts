import { timers, Backoff, type Platform } from '@conv/core/platform';
import type { OwnerInfo } from '@conv/core/store';

import { ApiError } from '../http/api-error.ts';
import type { FleetObserver } from '../ownership/fleet-options.ts';
import { refusalIn, type Refusal } from '../ownership/owner-refusal.ts';
import type { OwnerOutcome } from './owner-requests.ts';
import type { Peers } from '../ownership/peers.ts';
import { untilOwnerLost } from '../ownership/until-owner-lost.ts';

/** A command for a conversation, whichever server owns it. */
export interface Command<T> {
  /** True if the command may be executed twice. */
  readonly repeatable: boolean;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** Executes the command in this process. If another process has the conversation, it rejects before anything is done. */
  readonly here: () => Promise<T>;
  /** Sends the command to the server that has the conversation. Never rejects. */
  readonly there: (owner: string, signal: AbortSignal) => Promise<OwnerOutcome<T>>;
}

export interface ExecuteOnOwnerDeps {
  readonly platform: Platform;
  /** The servers that may be sent commands. */
  readonly peers: Pick<Peers, 'url' | 'lists'>;
  /** Resolves with the other owner of the conversation; `undefined` when it is loaded here now. */
  readonly ownerOf: (id: string) => Promise<OwnerInfo | undefined>;
  readonly observer: FleetObserver | undefined;
  /** Minimum milliseconds to wait for an owner that cannot be reached, whatever its lease says. Default 10 s. */
  readonly requestTimeout?: number;
}

/** Milliseconds after the end of a lease within which its conversation is taken over. */
const MARGIN = 2000;

/** Minimum milliseconds to wait for an owner that cannot be reached. A closing server keeps its conversations for a while. */
const LEAST = 10_000;
const MOST = 60_000;

/** Milliseconds between tries. */
const DELAYS = { first: 50, most: 1000 };

/**
 * Executes a command where its conversation is: here, or at its owner. While the owner cannot be reached, retries both until
 * shortly after the end of the owner's lease. Retries a command that is not repeatable only when no server can have begun it.
 * Rejects as `here`. Rejects {@link ApiError} 503 when no server executed it, or when it is unknown if one did.
 */
export async function executeOnOwner<T>(command: Command<T>, deps: ExecuteOnOwnerDeps): Promise<T> {
  const { platform, observer } = deps;
  const delays = new Backoff(platform, DELAYS);
  let until: number | undefined;
  let wasElsewhere = false;
  for (;;) {
    const tried = await tryHere(command, deps);
    if ('answer' in tried) {
      if (wasElsewhere) observer?.forwarded?.('here');
      return tried.answer;
    }
    const { refusal } = tried;
    until ??= platform.now() + requestTimeoutOf(refusal.owner, deps);
    const outcome = refusal.owner && (await askOwner(command, refusal, deps));
    wasElsewhere = true;
    if (outcome && 'answer' in outcome) {
      observer?.forwarded?.('answered');
      return outcome.answer;
    }
    const delay = delays.next();
    const isUnknown = outcome ? outcome.begun && !command.repeatable : !command.repeatable;
    if (isUnknown || platform.now() + delay > until) {
      observer?.forwarded?.('lost');
      throw isUnknown ? notKnown(refusal, outcome?.cause) : unreached(refusal, outcome?.cause);
    }
    await wait(platform, delay, command.signal);
  }
}

async function tryHere<T>(
  { here }: Command<T>,
  { peers }: ExecuteOnOwnerDeps,
): Promise<{ readonly answer: T } | { readonly refusal: Refusal }> {
  try {
    return { answer: await here() };
  } catch (error) {
    const refusal = refusalIn(error);
    const isOfFleet = !refusal?.owner || refusal.owner.owner === peers.url || peers.lists(refusal.owner.owner);
    if (!refusal || !isOfFleet) throw error;
    return { refusal };
  }
}

/** Sends the command to the owner. An owner with this server's own URL is an earlier process that is gone, so it is not asked. */
async function askOwner<T>(
  { there, signal }: Command<T>,
  { conversationId, owner }: Refusal,
  { platform, peers, ownerOf }: ExecuteOnOwnerDeps,
): Promise<OwnerOutcome<T> | { readonly begun: false; readonly cause: undefined }> {
  if (!owner || owner.owner === peers.url) return { begun: false, cause: undefined };
  if (conversationId === undefined) return there(owner.owner, signal);
  const answered = new AbortController();
  const ownerNow = (): Promise<OwnerInfo | undefined> => ownerOf(conversationId);
  const lost = untilOwnerLost(owner, { platform, ownerNow, answered: answered.signal });
  try {
    return await there(owner.owner, AbortSignal.any([signal, lost]));
  } finally {
    answered.abort();
  }
}

function requestTimeoutOf(
  owner: OwnerInfo | undefined,
  { platform, requestTimeout: least = LEAST }: ExecuteOnOwnerDeps,
): number {
  const lease = owner?.until === undefined ? 0 : owner.until - platform.now();
  return Math.min(MOST, Math.max(least, lease + MARGIN));
}

async function wait(platform: Platform, milliseconds: number, signal: AbortSignal): Promise<void> {
  await timers.sleep(platform, milliseconds, { signal }).catch(() => {
    throw new ApiError(499, 'The client has gone');
  });
}

function notKnown({ conversationId, owner }: Refusal, cause: unknown): ApiError {
  const who = owner ? `its server ${owner.owner} did not answer` : 'it was taken over by another server meanwhile';
  const text = `conversation ${conversationId ?? ''}: ${who}, and it is unknown if the command was executed; read the conversation before you repeat it`;
  return new ApiError(503, text, { cause });
}

function unreached({ conversationId, owner }: Refusal, cause: unknown): ApiError {
  const who = owner ? `its server ${owner.owner} cannot be reached` : 'it was taken over by another server';
  return new ApiError(503, `conversation ${conversationId ?? ''}: ${who}; try again later`, { cause });
}

import type { Conversation, PendingAction } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { SecurityRisk } from '@conv/core/events';

/** The tag of a conversation that holds its standing approvals, so that they are durable and come back with it. */
const TAG = 'alwaysapproved';

/** A kind, and the second at which its approval ends. Programs that know no end read an entry with one as wrong, and ask. */
const ENTRY = /^([\w-]{1,64}):(LOW|MEDIUM|UNKNOWN)(?:@(\d{1,12}))?$/;

const ORDER = ['LOW', 'MEDIUM'] as const;

/** The tool of all questions of agents that are other programs. Its name says nothing about what is asked, so that an approval of one question cannot stand for others. */
const QUESTIONS_OF_PROGRAMS = 'request_permission';

/** A kind of call: those of a tool, up to a risk, or of unknown risk. */
export interface CallKind {
  readonly tool: string;
  readonly risk: 'LOW' | 'MEDIUM' | 'UNKNOWN';
  /** The end of its standing approval, in milliseconds since the epoch. Default: none. */
  readonly until?: number;
}

/**
 * Returns the kind of a call that can be approved once for all; `undefined` for a call of high risk and for a question of an agent that is another program, which are
 * always asked.
 */
export function kindOf({ tool_name: tool, security_risk: risk = 'UNKNOWN' }: PendingAction): CallKind | undefined {
  return risk === 'HIGH' || tool === QUESTIONS_OF_PROGRAMS ? undefined : { tool, risk };
}

/** Returns the kind in words, such as `terminal calls rated MEDIUM or LOW`. */
export function kindText({ tool, risk }: CallKind): string {
  return `${tool} calls rated ${risk === 'MEDIUM' ? 'MEDIUM or LOW' : risk}`;
}

/**
 * Returns the kinds of calls that need no question in this conversation now. A tag that another program wrote wrongly holds none, and
 * an approval that expired is none.
 */
export function standingApprovals(
  { state }: Pick<Conversation, 'state'>,
  { now }: Pick<Platform, 'now'> = systemPlatform,
): readonly CallKind[] {
  return kindsIn(state.tags).filter(({ until = Infinity }) => until > now());
}

/** True if a conversation with the tags `wanted` asks about fewer calls than with the tags `held`. */
export function allowsMore(held: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  const before = kindsIn(held);
  return kindsIn(wanted).some(
    (kind) => !before.some((other) => other.tool === kind.tool && covers(other.risk, kind.risk) && lasts(other, kind)),
  );
}

function kindsIn(tags: Readonly<Record<string, string>>): readonly CallKind[] {
  return (tags[TAG] ?? '').split(' ').flatMap((entry) => {
    const [, tool, risk, seconds] = ENTRY.exec(entry) ?? [];
    if (tool === undefined || tool === QUESTIONS_OF_PROGRAMS) return [];
    return [
      { tool, risk: risk as CallKind['risk'], ...(seconds === undefined ? {} : { until: Number(seconds) * 1000 }) },
    ];
  });
}

/** Returns the kind that lets this call run without a question, if there is one. */
export function approvalFor(action: PendingAction, kinds: readonly CallKind[]): CallKind | undefined {
  return kinds.find(({ tool, risk }) => tool === action.tool_name && covers(risk, action.security_risk ?? 'UNKNOWN'));
}

/**
 * Approves a kind of calls from now on in this conversation, for `expireAfter` milliseconds or without an end. Resolves when that is
 * durable. Rejects `INVALID_INPUT` when there are more kinds than a tag holds.
 */
export async function approveAlways(
  conversation: Conversation,
  { tool, risk }: CallKind,
  expireAfter: number = Infinity,
  platform: Pick<Platform, 'now'> = systemPlatform,
): Promise<void> {
  const end = platform.now() + expireAfter;
  const kind: CallKind = { tool, risk, ...(end === Infinity ? {} : { until: Math.ceil(end / 1000) * 1000 }) };
  const others = standingApprovals(conversation, platform).filter((other) => {
    if (other.tool !== tool || !covers(risk, other.risk)) return true;
    // the newest word on the same kind counts, also if it ends earlier
    return other.risk !== risk && !lasts(kind, other);
  });
  await store(conversation, [...others, kind]);
}

/** Ends all standing approvals. Resolves with their number when that is durable. */
export async function askAgain(conversation: Conversation): Promise<number> {
  const { length } = standingApprovals(conversation);
  if (length > 0) await store(conversation, []);
  return length;
}

async function store({ state, settings }: Conversation, kinds: readonly CallKind[]): Promise<void> {
  const { [TAG]: _, ...tags } = state.tags;
  const value = kinds
    .map(({ tool, risk, until }) => `${tool}:${risk}${until === undefined ? '' : `@${until / 1000}`}`)
    .join(' ');
  await settings.setTags(kinds.length === 0 ? tags : { ...tags, [TAG]: value });
}

/** True if an approval does not end before the other. */
function lasts({ until = Infinity }: CallKind, other: CallKind): boolean {
  return until >= (other.until ?? Infinity);
}

function covers(allowed: CallKind['risk'], risk: SecurityRisk): boolean {
  if (risk === 'HIGH' || allowed === 'UNKNOWN' || risk === 'UNKNOWN') return allowed === risk;
  return ORDER.indexOf(risk) <= ORDER.indexOf(allowed);
}

import type { Conversation, PendingAction } from '@conv/core';
import type { SecurityRisk } from '@conv/core/events';

/** The tag of a conversation that holds its standing approvals, so that they are durable and come back with it. */
const TAG = 'alwaysapproved';

const ORDER = ['LOW', 'MEDIUM'] as const;

/** A kind of call: those of a tool, up to a risk, or of unknown risk. */
export interface CallKind {
  readonly tool: string;
  readonly risk: 'LOW' | 'MEDIUM' | 'UNKNOWN';
}

/** Returns the kind of a call that can be approved once for all; `undefined` for a call of high risk, which is always asked. */
export function kindOf({ tool_name: tool, security_risk: risk = 'UNKNOWN' }: PendingAction): CallKind | undefined {
  return risk === 'HIGH' ? undefined : { tool, risk };
}

/** Returns the kind in words, such as `terminal calls rated MEDIUM or LOW`. */
export function kindText({ tool, risk }: CallKind): string {
  return `${tool} calls rated ${risk === 'MEDIUM' ? 'MEDIUM or LOW' : risk}`;
}

/** Returns the kinds of calls that need no question in this conversation. A tag that another program wrote wrongly holds none. */
export function standingApprovals({ state }: Pick<Conversation, 'state'>): readonly CallKind[] {
  return kindsIn(state.tags);
}

/** True if a conversation with the tags `wanted` asks about fewer calls than with the tags `held`. */
export function allowsMore(held: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  const before = kindsIn(held);
  return kindsIn(wanted).some(
    ({ tool, risk }) => !before.some((kind) => kind.tool === tool && covers(kind.risk, risk)),
  );
}

function kindsIn(tags: Readonly<Record<string, string>>): readonly CallKind[] {
  return (tags[TAG] ?? '').split(' ').flatMap((entry) => {
    const [, tool, risk] = /^([\w-]{1,64}):(LOW|MEDIUM|UNKNOWN)$/.exec(entry) ?? [];
    return tool === undefined ? [] : [{ tool, risk: risk as CallKind['risk'] }];
  });
}

/** Returns the kind that lets this call run without a question, if there is one. */
export function approvalFor(action: PendingAction, kinds: readonly CallKind[]): CallKind | undefined {
  return kinds.find(({ tool, risk }) => tool === action.tool_name && covers(risk, action.security_risk ?? 'UNKNOWN'));
}

/**
 * Approves a kind of calls from now on in this conversation. Resolves when that is durable. Rejects `INVALID_INPUT` when there are more
 * kinds than a tag holds.
 */
export async function approveAlways(conversation: Conversation, kind: CallKind): Promise<void> {
  const others = standingApprovals(conversation).filter(
    ({ tool, risk }) => tool !== kind.tool || !covers(kind.risk, risk),
  );
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
  const value = kinds.map(({ tool, risk }) => `${tool}:${risk}`).join(' ');
  await settings.setTags(kinds.length === 0 ? tags : { ...tags, [TAG]: value });
}

function covers(allowed: CallKind['risk'], risk: SecurityRisk): boolean {
  if (risk === 'HIGH' || allowed === 'UNKNOWN' || risk === 'UNKNOWN') return allowed === risk;
  return ORDER.indexOf(risk) <= ORDER.indexOf(allowed);
}

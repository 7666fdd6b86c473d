import {
  keptJson,
  type AgentSession,
  type ConversationState,
  type Hooks,
  type ProtectedPlaces,
  type SecretUpdate,
  type SecretVault,
  type SecurityAnalyzer,
  type StuckDetector,
  abortable,
  ConversationError,
  type HookSession,
  type StoredAnalyzer,
} from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

import { ConversationHooks } from './conversation-hooks.ts';
import { ConversationSecrets } from './conversation-secrets.ts';
import { ShellPosition } from './shell-position.ts';
import { RiskAssessments } from './risk-assessments.ts';
import type { StuckWatch } from './stuck-watch.ts';

/** Safeguards of a conversation as the runtime and the caller gave them. */
export interface SafeguardsDeps {
  /** Finds the analyzers that the state names. */
  readonly analyzers: ((description: StoredAnalyzer) => SecurityAnalyzer | undefined) | undefined;
  /** Names the places of the program that runs the agent. */
  readonly protect: (() => ProtectedPlaces) | undefined;
  /** The caller's own analyzer, which the state describes. */
  readonly ownAnalyzer: SecurityAnalyzer | undefined;
  /** Holds the stored secrets of the conversation already. */
  readonly vault: SecretVault | undefined;
  /** The secrets that the caller gave. */
  readonly givenSecrets: SecretUpdate | undefined;
  /** The hooks that the state describes. */
  readonly hooks: Hooks | undefined;
  readonly stuckDetector: StuckDetector | undefined;
}

/** Safeguards that keep what they were told. */
export interface LastingSafeguards {
  readonly risks: RiskAssessments;
  readonly secrets: ConversationSecrets | undefined;
}

/** Safeguards that ask no agent, so that the agent's session can be made after them. */
export interface PassiveSafeguards extends LastingSafeguards {
  readonly watch: StuckWatch;
}

/** Active safeguards of a conversation. */
export interface Safeguards extends PassiveSafeguards {
  /** Hooks may ask the agent's model. */
  readonly hooks: ConversationHooks;
}

/** The agent's session, which starts when it is first asked for. */
export interface StartableSession {
  get(): Promise<AgentSession>;
}

/** Returns the rules that rate the actions of a conversation. */
export function startRisks(
  { events }: Pick<ConversationState, 'events'>,
  { analyzers, protect, ownAnalyzer }: Pick<SafeguardsDeps, 'analyzers' | 'protect' | 'ownAnalyzer'>,
  workingDirectory: string,
): RiskAssessments {
  const shell = new ShellPosition(events, workingDirectory);
  const risks = new RiskAssessments(analyzers, { workingDirectory, protect, shell });
  if (ownAnalyzer) risks.use(keptJson<'analyzer'>(ownAnalyzer.describe()), ownAnalyzer);
  return risks;
}

/** Returns the safeguards that keep what they were told as long as the conversation is open. */
export function startSafeguards(
  state: ConversationState,
  parts: SafeguardsDeps,
  { workingDirectory }: ToolSession,
): LastingSafeguards {
  return {
    risks: startRisks(state, parts, workingDirectory),
    secrets: parts.vault && new ConversationSecrets(parts.vault, state, parts.givenSecrets),
  };
}

/** Starts the hooks of a conversation. */
export function startHooks(
  state: ConversationState,
  { hooks }: Pick<SafeguardsDeps, 'hooks'>,
  { conversationId, workingDirectory, sideDirectory, secrets }: ToolSession,
  session: StartableSession,
): ConversationHooks {
  return new ConversationHooks(state, hooks, {
    conversationId,
    workingDirectory,
    ask: consulting(state, session),
    ...(sideDirectory === undefined ? {} : { sideDirectory }),
    ...(secrets ? { secrets } : {}),
  });
}

/** Asks the agent's model on behalf of hooks; the cost counts as the conversation's. */
function consulting(state: ConversationState, session: StartableSession): NonNullable<HookSession['ask']> {
  return async (question, signal) => {
    const asked = await abortable(session.get(), signal);
    if (asked.consult === undefined)
      throw new ConversationError(
        'UNSUPPORTED',
        'the agent of this conversation cannot answer the question of a hook; use hooks of the kind command',
      );
    const { text, record } = await abortable(asked.consult(question, signal), signal);
    await state.transaction(async (transaction) => transaction.record(record));
    return text;
  };
}

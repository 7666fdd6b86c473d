import type {
  AgentSession,
  ConversationState,
  Hooks,
  ProtectedPlaces,
  SecretUpdate,
  SecretVault,
  SecurityAnalyzer,
  SecurityAnalyzerFactory,
  StuckDetector,
} from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

import { consulting } from './consult.ts';
import { ConversationHooks } from './conversation-hooks.ts';
import { ConversationSecrets } from './conversation-secrets.ts';
import { RiskBook } from './risk-assessments.ts';
import { StuckWatch } from './stuck-watch.ts';

/** What keeps a conversation in check, as the runtime and the caller gave it. */
export interface ControlParts {
  /** Finds the analyzers that the state names. */
  readonly analyzers: SecurityAnalyzerFactory | undefined;
  /** Names what belongs to the program that runs the agent. */
  readonly protect: (() => ProtectedPlaces) | undefined;
  /** The caller's own, which the state describes. */
  readonly ownAnalyzer: SecurityAnalyzer | undefined;
  /** Holds what is stored of the conversation already. */
  readonly vault: SecretVault | undefined;
  /** What the caller gave of secrets. */
  readonly givenSecrets: SecretUpdate | undefined;
  /** Those that the state describes. */
  readonly hooks: Hooks | undefined;
  readonly stuckDetector: StuckDetector | undefined;
}

/** What keeps a conversation in check, at work in it. */
export interface Controls {
  readonly risks: RiskBook;
  readonly secrets: ConversationSecrets | undefined;
  readonly hooks: ConversationHooks;
  readonly watch: StuckWatch;
}

/** Puts them to work. */
export function startControls(
  state: ConversationState,
  parts: ControlParts,
  tools: ToolSession,
  session: () => Promise<AgentSession>,
): Controls {
  const { conversationId, workingDirectory } = tools;
  const secrets = parts.vault && new ConversationSecrets(parts.vault, state, parts.givenSecrets);
  const risks = new RiskBook(parts.analyzers, { workingDirectory, protect: parts.protect });
  if (parts.ownAnalyzer) risks.use(parts.ownAnalyzer.describe(), parts.ownAnalyzer);
  const place = { conversationId, workingDirectory, ask: consulting(state, session), ...(secrets ? { secrets } : {}) };
  return {
    risks,
    secrets,
    hooks: new ConversationHooks(state, parts.hooks, place),
    watch: new StuckWatch(state, parts.stuckDetector),
  };
}

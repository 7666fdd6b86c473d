import { CAPABILITIES } from '@conv/openhands/rest';

import type { ServerInfo } from './server-info.ts';

/** Capabilities of a server beyond the protocol's first version. */
export interface ServerCapabilities {
  /** It gives its commits. Its statuses hold from the moment at which it answers. */
  readonly commits: boolean;
  /** It has the socket that numbers events. */
  readonly sessionSocket: boolean;
  /** It takes single actions. */
  readonly approvals: boolean;
  /** It does a thing once for each key. */
  readonly idempotency: boolean;
  /** Limits, stuck detection, titles and secrets can be changed and taken away. */
  readonly settings: boolean;
  /** It takes answers to calls of client tools. */
  readonly callAnswers: boolean;
  /** A run may have a limit of its own. */
  readonly runLimits: boolean;
  /** It says which secrets have no value. */
  readonly missingSecrets: boolean;
}

/** Returns the capabilities that a server announces. */
export function capabilitiesOf({ capabilities }: ServerInfo): ServerCapabilities {
  return {
    commits: capabilities.has(CAPABILITIES.commits),
    sessionSocket: capabilities.has(CAPABILITIES.sessionSocket),
    approvals: capabilities.has(CAPABILITIES.approvals),
    idempotency: capabilities.has(CAPABILITIES.idempotency),
    settings: capabilities.has(CAPABILITIES.settings),
    callAnswers: capabilities.has(CAPABILITIES.callAnswers),
    runLimits: capabilities.has(CAPABILITIES.runLimits),
    missingSecrets: capabilities.has(CAPABILITIES.missingSecrets),
  };
}

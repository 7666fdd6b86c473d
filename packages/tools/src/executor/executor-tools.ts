import { checkOptionNames, type JsonObject, type OptionNames, type SecretVaultFactory } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { ToolError, type Executor, type Sandbox, type ToolSession } from '@conv/core/tool';
import type { z } from 'zod';

import { checkSandbox } from '../check-sandbox.ts';
import { ConversationHands } from './conversation-hands.ts';
import { requestSchema } from '../requests/executor-requests.ts';

/** Options of {@link executorTools}. */
export interface ExecutorToolsOptions {
  /** Makes the vaults that mask the values of secrets that commands were given: `createSecretVault` of `@conv/secrets`. */
  readonly secrets: SecretVaultFactory;
  /** Returns the absolute folder for output of a conversation that is too long for its log. Default: the middle of such output is lost. */
  readonly sideDirectory?: (conversationId: string) => string;
  /** Confines commands and files, each conversation by itself. Default: they reach all that the user of this process reaches. */
  readonly sandbox?: Sandbox | undefined;
  /** Names of the environment variables of this process that shells get, as the option `environment` of `terminal`. */
  readonly environment?: readonly string[];
  /** Clocks, timers and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<ExecutorToolsOptions> = {
  secrets: true,
  sideDirectory: true,
  sandbox: true,
  environment: true,
  platform: true,
};

/**
 * Makes an executor that acts on this machine, for tools of conversations elsewhere: the counterpart of `terminal` and `fileEditor` in
 * a conversation whose workspace is an executor. It knows the id and the folder of a conversation, makes the
 * folder if missing, and gets a secret only with a command that names it.
 *
 * `execute` rejects `ToolError` `FAILED` for a request that it does not know, and with the errors of both tools.
 */
export function executorTools(options: ExecutorToolsOptions): Executor {
  checkOptionNames('executorTools', options, NAMES);
  checkSandbox('executorTools', options.sandbox);
  const { platform = systemPlatform, ...rest } = options;
  const open = new Map<string, ConversationHands>();
  const handsOf = (session: Pick<ToolSession, 'conversationId' | 'workingDirectory'>): ConversationHands => {
    const { conversationId } = session;
    const hands = open.get(conversationId) ?? new ConversationHands(session, { ...rest, platform });
    open.set(conversationId, hands);
    return hands;
  };
  return {
    execute: async (session, given, context) => {
      const { data, error } = requestSchema.safeParse(given);
      if (!data) throw new ToolError('FAILED', `${notKnown(given, error.issues)}; it had no effect.`);
      return handsOf(session).execute(data, context);
    },
    end: async (conversationId) => {
      const hands = open.get(conversationId);
      open.delete(conversationId);
      await hands?.end();
    },
  };
}

/** Returns the sentence about a request of which the tool, or a member, is not known here, as of a newer client. */
function notKnown({ tool }: JsonObject, issues: readonly z.core.$ZodIssue[]): string {
  const members = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const what = `The executor does not know this request${typeof tool === 'string' ? ` of the tool ${tool}` : ''}`;
  return members.length === 0 ? what : `${what}, which has the unknown members ${members.join(', ')}`;
}

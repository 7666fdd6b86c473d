import { isToolFactory, type Tool, type ToolProvider, type ToolSession, type ToolSource } from '@conv/core/tool';
import { errorText, SECRET_MASK } from '@conv/core';
import { AgentError } from '../base/agent-error.ts';
import { type MaskText, maskNothing, maskTextOf } from '../base/mask-text.ts';
import { safeError } from '../model/safe-error.ts';
import { isToolProvider } from './is-tool-provider.ts';

/** The tools that one source gave to one conversation. */
export interface MadeSource {
  /** The tool of a source, or the present tools of a provider. */
  readonly tools: readonly Tool[];
  readonly isProvided: boolean;
  /** Closes the tools; absent for a tool that conversations share. */
  readonly close?: () => Promise<void>;
}

/** Context for making the tools of a source. */
export interface Making {
  readonly session: ToolSession;
  /** Aborted when the conversation closes or another source cannot be made. */
  readonly signal: AbortSignal;
  /** Names that no tool of a provider may have. */
  readonly taken: ReadonlySet<string>;
  /** Called when a provider has another list of tools. */
  readonly changed: () => void;
}

/** Makes the tools of one source. Rejects {@link AgentError} `TOOL_FAILED` with its name, or with `signal.reason`. */
export async function makeSource(source: ToolSource | ToolProvider, making: Making): Promise<MadeSource> {
  const { session, signal } = making;
  try {
    if (isToolProvider(source)) {
      const provided = await source.provide(session, { changed: making.changed, signal, taken: making.taken });
      return {
        get tools() {
          return provided.tools;
        },
        isProvided: true,
        close: () => provided.close(),
      };
    }
    if (!isToolFactory(source)) return { tools: [source], isProvided: false };
    const tool = await source.create(session);
    return { tools: [tool], isProvided: false, close: async () => tool.close?.() };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw failed(source, cause, session);
  }
}

function failed(source: ToolSource | ToolProvider, cause: unknown, session: ToolSession): AgentError {
  const reason = errorText(cause);
  const mask = maskFor(source, session);
  const what = isToolProvider(source)
    ? `the tools of ${source.name} cannot be used`
    : `tool ${source.name} could not be made`;
  return new AgentError('TOOL_FAILED', `${what}: ${mask(reason)}`, {
    cause: mask === maskNothing ? cause : safeError(cause, mask),
  });
}

/** Returns the masking for the errors of a source: a provider's secrets are hidden even without a masker. */
function maskFor(source: ToolSource | ToolProvider, session: ToolSession): MaskText {
  const mask = maskTextOf(session);
  const values = isToolProvider(source) ? (source.secretValues?.() ?? []).filter((value) => value !== '') : [];
  if (values.length === 0) return mask;
  // a value that holds another one goes first
  const longestFirst = values.toSorted((one, other) => other.length - one.length);
  return (text) => mask(longestFirst.reduce((rest, value) => rest.replaceAll(value, SECRET_MASK), text));
}

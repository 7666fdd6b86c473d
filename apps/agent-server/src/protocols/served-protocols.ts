import type { A2AHandlerOptions } from '@conv/a2a';
import { checkOptionNames, checks, isConversationError, type OptionNames } from '@conv/core';
import type { CallerConversations, ProtocolHandler, ServedProtocol } from '@conv/server/protocols';

import { openAIProtocol } from './openai-protocol.ts';
import { PROTOCOLS, type ProtocolName } from './protocol-names.ts';
import { nextPush, pushConfigs } from './push-receivers.ts';

/** Options of {@link servedProtocols}. */
export interface ServedProtocolsOptions {
  /** The name of the agent, which clients of A2A and MCP show. Default `conv`. */
  readonly name?: string | undefined;
  /** The purpose of the agent, which other agents and models read. */
  readonly description?: string | undefined;
  /** The version of the program. Default `unknown`. */
  readonly version?: string | undefined;
  /**
   * Hosts that push notifications of A2A reach although they are not public, on a server without the option `receivers`, which forgets what clients asked for
   * when it ends. Default: none.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Receives failures of handlers and of notifications. Default: none is told. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const NAMES: OptionNames<ServedProtocolsOptions> = {
  name: true,
  description: true,
  version: true,
  hosts: true,
  onError: true,
};

const DESCRIPTION = 'Works on tasks in conversations that outlive their clients.';

/**
 * Returns the adapters of these protocols for the option `protocols` of `agentServer`; each is loaded at its first request. Throws a `TypeError` for
 * another name, and for an unknown option.
 *
 * | protocol | paths                                                                                                  |
 * | -------- | ------------------------------------------------------------------------------------------------------ |
 * | `openai` | `/v1/responses`, `/v1/chat/completions`, `/v1/models`                                                  |
 * | `ai-ui`  | `/api/chat` for `useChat` of the AI SDK                                                                |
 * | `ag-ui`  | `/api/ag-ui`                                                                                           |
 * | `a2a`    | `/api/a2a`, and without a key `/.well-known/agent-card.json`                                           |
 * | `mcp`    | `/mcp`                                                                                                 |
 */
export function servedProtocols(
  names: readonly ProtocolName[],
  options: ServedProtocolsOptions = {},
): readonly ServedProtocol[] {
  if (!isListOfProtocols(names))
    throw new TypeError(checks.wrongValue('servedProtocols: names', `a list of ${PROTOCOLS.join(', ')}`, names));
  checkOptionNames('servedProtocols', options, NAMES);
  const { onError: told = () => {} } = options;
  // the log has what a conversation refuses, and clients read it
  const onError = (error: unknown): void => void (isConversationError(error) || told(error));
  const made: Readonly<Record<ProtocolName, () => ServedProtocol>> = {
    openai: () => openAIProtocol(onError),
    'ai-ui': () => chats(onError),
    'ag-ui': () => threads(onError),
    a2a: () => agents({ ...options, onError }),
    mcp: () => tools({ ...options, onError }),
  };
  return names.map((name) => made[name]());
}

function isListOfProtocols(names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => (PROTOCOLS as readonly unknown[]).includes(name));
}

type Failed = (error: unknown) => void;

type Described = ServedProtocolsOptions & { readonly onError: Failed };

function chats(onError: Failed): ServedProtocol {
  return {
    name: 'ai-ui',
    paths: ['/api/chat', '/api/chat/*'],
    handler: async ({ open, create }) => {
      const { createChatHandler } = await import('@conv/ai-ui');
      return createChatHandler({
        conversation: (id, request, { begins }) => (begins ? create({ id }, request) : open(id, request)),
        onError,
      });
    },
  };
}

function threads(onError: Failed): ServedProtocol {
  return {
    name: 'ag-ui',
    paths: ['/api/ag-ui', '/api/ag-ui/*'],
    handler: async ({ open, create }) => {
      const { clientToolsOf, createAgUiHandler } = await import('@conv/ag-ui');
      return createAgUiHandler({
        conversation: (id, request, input) =>
          input && (input.resume ?? []).length === 0
            ? create({ id, clientTools: clientToolsOf(input) }, request)
            : open(id, request),
        onError,
      });
    },
  };
}

function tools({ name, version, description, onError }: Described): ServedProtocol {
  return {
    name: 'mcp',
    paths: ['/mcp'],
    handler: async ({ open, create }) => {
      const { createMcpHandler } = await import('@conv/mcp');
      return createMcpHandler({
        ...(name === undefined ? {} : { name }),
        ...(version === undefined ? {} : { version }),
        description: description ?? DESCRIPTION,
        conversation: open,
        create,
        onError,
      });
    },
  };
}

/** The path of the card, and that of the agent. */
const [CARD, AGENT] = ['/.well-known/agent-card.json', '/api/a2a'];

function agents(options: Described): ServedProtocol {
  let push: { close(): Promise<void> } | undefined;
  return {
    name: 'a2a',
    paths: [AGENT, `${AGENT}/*`],
    openPaths: [CARD, AGENT + CARD],
    handler: async (conversations) => {
      const made = await agentHandler(conversations, options);
      ({ push } = made);
      return made.handler;
    },
    nextMessage: nextPush,
    close: async () => push?.close(),
  };
}

async function agentHandler(
  { open, create, list, read, receivers }: CallerConversations,
  { name = 'conv', description = DESCRIPTION, version = 'unknown', hosts = [], onError }: Described,
): Promise<{ readonly handler: ProtocolHandler; readonly push: { close(): Promise<void> } }> {
  const [{ createA2AHandler }, { TaskNotifications, TaskReceivers }] = await Promise.all([
    import('@conv/a2a'),
    import('@conv/a2a-push'),
  ]);
  const push = receivers
    ? new TaskReceivers({ configs: await pushConfigs(receivers) })
    : new TaskNotifications({ hosts, onError });
  const handle = createA2AHandler({
    card: { name, description, version, ...KEYS },
    conversation: open,
    create,
    list,
    read,
    push,
    onError,
  });
  const handler: ProtocolHandler = (request) => {
    const url = new URL(request.url);
    // the card is at the root, and its agent is not
    return handle(url.pathname === CARD ? new Request(new URL(AGENT + CARD, url)) : request);
  };
  return { handler, push };
}

/** The ways in which a client shows its key. */
const KEYS: Pick<A2AHandlerOptions['card'], 'securitySchemes' | 'securityRequirements'> = {
  securitySchemes: {
    sessionKey: {
      scheme: {
        $case: 'apiKeySecurityScheme',
        value: { description: '', location: 'header', name: 'X-Session-API-Key' },
      },
    },
    bearer: {
      scheme: { $case: 'httpAuthSecurityScheme', value: { description: '', scheme: 'Bearer', bearerFormat: '' } },
    },
  },
  securityRequirements: [{ schemes: { sessionKey: { list: [] } } }, { schemes: { bearer: { list: [] } } }],
};

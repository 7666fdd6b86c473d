import { A2A_PROTOCOL_VERSION, AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';

import type { A2AHandlerOptions } from './handler-options.ts';

const MODES = ['text/plain', 'application/json', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Names the parts by which calls that wait are told and answered. */
const EXTENSION = {
  uri: 'urn:conv:a2a:calls:1',
  description:
    'Tells calls in data parts. A part { call, approved, reason? } of a message with the id of the task approves or rejects a call; { call, output, isError? } answers it.',
  required: false,
  params: undefined,
};

/** Returns the card, with its defaults. */
export function agentCard({ card: given, push }: A2AHandlerOptions, request: Request): AgentCard {
  const { origin, pathname } = new URL(request.url);
  const url = `${origin}${pathname.replace(`/${AGENT_CARD_PATH}`, '')}`;
  const skill = { id: 'conversation', name: given.name, description: given.description, tags: ['conversation'] };
  const defaults = AgentCard.fromJSON({
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: A2A_PROTOCOL_VERSION }],
    version: 'unknown',
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [skill],
  });
  const extensions = [...(given.capabilities?.extensions ?? []), EXTENSION];
  const capabilities = { ...given.capabilities, streaming: true, pushNotifications: push !== undefined, extensions };
  return { ...defaults, ...given, capabilities };
}

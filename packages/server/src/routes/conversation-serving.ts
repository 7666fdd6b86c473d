import type { ConversationParams, Route, RouteInput } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import type { Reading } from '../hosting/stored-conversation.ts';
import { withConversation, withPast, withReading } from '../hosting/with-conversation.ts';
import { serveRoute, type Call, type HandlerAnswer, type Refusals } from '../http/serve-route.ts';

type OfConversation = RouteInput & { readonly params: ConversationParams };
type Answering<Of, Input extends RouteInput, Answer> = (of: Of, call: Call<Input>) => Promise<Answer>;

/** Serves the routes of single conversations. */
export interface ConversationServing {
  /** Serves a route that reads a conversation and loads none. */
  readonly read: <Input extends OfConversation, Answer>(
    route: Route<Input, Answer>,
    work: Answering<Reading, Input, HandlerAnswer<Answer>>,
  ) => void;
  /** Serves a route about the past of a conversation, and loads none. */
  readonly past: <Input extends OfConversation, Answer>(
    route: Route<Input, Answer>,
    work: Answering<Reading, Input, HandlerAnswer<Answer>>,
  ) => void;
  /** Serves a route that loads a conversation. */
  readonly use: <Input extends OfConversation, Answer>(
    route: Route<Input, Answer>,
    work: Answering<HostedConversation, Input, HandlerAnswer<Answer>>,
  ) => void;
  /** Serves a route that loads a conversation and answers nothing but success. */
  readonly command: <Input extends OfConversation>(
    route: Route<Input, { readonly success: boolean }>,
    work: Answering<HostedConversation, Input, unknown>,
  ) => void;
}

/** Returns the functions that serve the routes of conversations. `refusals`: how they refuse. */
export function conversationServing(
  app: FastifyInstance,
  host: ConversationHost,
  refusals?: Refusals<ConversationParams>,
): ConversationServing {
  const serving: ConversationServing = {
    read: (route, work) =>
      serveRoute(
        app,
        route,
        (call) => withReading(host, call.params.conversation_id, (reading) => work(reading, call)),
        refusals,
      ),
    past: (route, work) =>
      serveRoute(
        app,
        route,
        (call) => withPast(host, call.params.conversation_id, (reading) => work(reading, call)),
        refusals,
      ),
    use: (route, work) =>
      serveRoute(
        app,
        route,
        (call) => withConversation(host, call.params.conversation_id, (hosted) => work(hosted, call)),
        refusals,
      ),
    command: (route, work) =>
      serving.use(route, async (hosted, call) => {
        await work(hosted, call);
        return { success: true };
      }),
  };
  return serving;
}

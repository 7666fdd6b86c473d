/**
 * Durable conversations behind the API of OpenAI: `/v1/responses`, which resume after a cut, `/v1/chat/completions` and `/v1/models`.
 *
 * @packageDocumentation
 */
export {
  createOpenAIHandler,
  type ConversationRequest,
  type OpenAIFunction,
  type OpenAIHandlerOptions,
} from './openai-handler.ts';

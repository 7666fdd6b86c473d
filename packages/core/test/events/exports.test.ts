import { expect, test } from 'vitest';
import * as events from '../../src/events/index.ts';
import * as messages from '../../src/messages/index.ts';

test('@conv/core/events exports these names and no others', () => {
  expect(Object.keys(events).toSorted()).toMatchInlineSnapshot(`
    [
      "MAX_EVENT_BYTES",
      "ROOT_PARENT",
      "action",
      "agentError",
      "agentMessage",
      "byKind",
      "classifyError",
      "condensation",
      "condensationRequest",
      "contentPartSchema",
      "contentParts",
      "conversationError",
      "createClock",
      "environmentMessage",
      "eventBytes",
      "eventSchemas",
      "eventToJson",
      "goalStatusSchema",
      "hookExecution",
      "imageContent",
      "interrupt",
      "isAction",
      "isEvent",
      "isEventError",
      "isFinishCall",
      "isFinishResult",
      "isKnownEvent",
      "isLlmConvertible",
      "isObservation",
      "isObservationLike",
      "isStoredEvent",
      "isText",
      "localTimestamp",
      "movesHead",
      "narrowEvent",
      "observation",
      "parseEvent",
      "pause",
      "readEvent",
      "schemaChoiceOf",
      "stampEvent",
      "systemPrompt",
      "textContent",
      "unreadableReason",
      "userMessage",
      "userReject",
    ]
  `);
});

test('@conv/core/messages exports these names and no others', () => {
  expect(Object.keys(messages).toSorted()).toMatchInlineSnapshot(`
    [
      "eventsToMessages",
      "fromWholeWord",
      "observationContent",
      "textOf",
      "toChatMessages",
      "toLlmMessage",
      "toResponsesInput",
      "truncateMiddle",
    ]
  `);
});

import { expect, test } from 'vitest';
import * as events from '../../src/events/index.ts';
import * as messages from '../../src/messages/index.ts';

test('@conv/core/events exports these names and no others', () => {
  expect(Object.keys(events).toSorted()).toMatchInlineSnapshot(`
    [
      "EVENT_KINDS",
      "EventError",
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
      "isEventKind",
      "isFinishCall",
      "isFinishResult",
      "isKnownEvent",
      "isLlmConvertible",
      "isObservation",
      "isObservationLike",
      "isStoredEvent",
      "isText",
      "localTimestamp",
      "messageSchema",
      "movesHead",
      "narrowEvent",
      "observation",
      "parseEvent",
      "pause",
      "readEvent",
      "schemaChoiceOf",
      "stampEvent",
      "stateUpdate",
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
      "TRUNCATION_NOTICE",
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

import { expect, test } from 'vitest';
import * as events from '../../src/events/index.ts';

test('@conv/core/events exports these names and no others', () => {
  expect(Object.keys(events).toSorted()).toMatchInlineSnapshot(`
    [
      "MAX_EVENT_BYTES",
      "ROOT_PARENT",
      "agentMessage",
      "contentParts",
      "createClock",
      "drafts",
      "eventBytes",
      "eventGuards",
      "eventSchemas",
      "eventToJson",
      "imageContent",
      "isAction",
      "isEvent",
      "isObservation",
      "isText",
      "joinedText",
      "localTimestamp",
      "narrowEvent",
      "parseEvent",
      "partSchemas",
      "readEvent",
      "stampEvent",
      "textContent",
      "userMessage",
    ]
  `);
});

import { expect, test } from 'vitest';

import * as analyzers from '../src/analyzers.ts';
import * as clientTools from '../src/client-tools/index.ts';
import * as descriptions from '../src/descriptions/index.ts';
import * as folder from '../src/folder/index.ts';
import * as messages from '../src/messages/index.ts';
import * as root from '../src/index.ts';
import * as references from '../src/references.ts';
import * as rest from '../src/rest/index.ts';
import * as sockets from '../src/sockets/index.ts';

test('@conv/openhands exports these values', () => {
  expect(Object.keys(root).sort()).toMatchInlineSnapshot(`
    [
      "openApiDocument",
    ]
  `);
});

test('@conv/openhands/rest exports these values', () => {
  expect(Object.keys(rest).sort()).toMatchInlineSnapshot(`
    [
      "CAPABILITIES",
      "EXPOSE_SECRETS_HEADER",
      "IDEMPOTENCY_KEY_HEADER",
      "NOT_BEGUN_HEADER",
      "STATUS_CODES",
      "WORKSPACE_COOKIE",
      "acpRoutes",
      "agentProfileRoutes",
      "agentSettingsSchema",
      "bashRoutes",
      "commandRoutes",
      "conversationInfoSchema",
      "conversationRoutes",
      "conversationSettingsSchema",
      "desktopRoutes",
      "eventRoutes",
      "executeBashRequestSchema",
      "executorRoutes",
      "fileRoutes",
      "gitRoutes",
      "historyRoutes",
      "hookRoutes",
      "ignoredMembers",
      "isCommand",
      "leftOutRoutes",
      "llmProfileRoutes",
      "mcpRoutes",
      "modelRoutes",
      "modelStoreRoutes",
      "pastRoutes",
      "pluginRoutes",
      "readAgentProfile",
      "readAgentSettings",
      "readPart",
      "routes",
      "runtimeRoutes",
      "secretExposure",
      "serverRoutes",
      "sessionRoutes",
      "settingsRoutes",
      "skillRoutes",
      "subAgentRoutes",
      "wasSent",
      "workspaceListRoutes",
      "workspaceRoutes",
    ]
  `);
});

test('@conv/openhands/sockets exports these values', () => {
  expect(Object.keys(sockets).sort()).toMatchInlineSnapshot(`
    [
      "AUTH_FRAME_TIMEOUT",
      "CLOSE_CODES",
      "FRAME_ERROR_CODES",
      "authFrameSchema",
      "bashSocket",
      "eventsSocket",
      "messageFrameSchema",
      "sessionSocket",
      "sockets",
    ]
  `);
});

test('@conv/openhands/descriptions exports these values', () => {
  expect(Object.keys(descriptions).sort()).toMatchInlineSnapshot(`
    [
      "LLM_SECRETS",
      "descriptionSecrets",
      "mcpServerMembers",
      "metaProfiles",
      "orAbsent",
      "readHookFile",
      "readLlm",
      "wrongBaseUrl",
    ]
  `);
});

test('@conv/openhands/folder exports these values', () => {
  expect(Object.keys(folder).sort()).toMatchInlineSnapshot(`
    [
      "callRecordsOf",
      "diffFields",
      "eventFileName",
      "fallbackHead",
      "fromBaseState",
      "fromMeta",
      "isFallbackHead",
      "isFileId",
      "parseEventFileName",
      "toBaseState",
      "toMeta",
    ]
  `);
});

test('@conv/openhands/messages exports these values', () => {
  expect(Object.keys(messages).sort()).toMatchInlineSnapshot(`
    [
      "callIds",
      "classifyError",
      "estimateTokens",
      "eventsToMessages",
      "modelViewOf",
      "observationContent",
      "runReason",
      "stopReason",
      "textOf",
      "toChatMessages",
      "toLlmMessage",
      "toResponsesInput",
    ]
  `);
});

test('@conv/openhands/client-tools exports these values', () => {
  expect(Object.keys(clientTools).sort()).toMatchInlineSnapshot(`
    [
      "askUser",
      "clientTool",
      "oversizedClientTools",
      "parseClientTool",
      "questions",
    ]
  `);
});

test('@conv/openhands/analyzers exports these values', () => {
  expect(Object.keys(analyzers).toSorted()).toMatchInlineSnapshot(`
    [
      "checkAnalyzerMembers",
    ]
  `);
});

test('@conv/openhands/references exports these values', () => {
  expect(Object.keys(references).sort()).toEqual(['expandReferences', 'hasReference', 'referencesIn']);
});

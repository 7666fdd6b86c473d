/**
 * Suites that every store and every runtime passes. Each case is a name and a function; any test runner will do.
 *
 * @packageDocumentation
 */
import '@conv/core';

export { applicableCases, type ConformanceCase } from './conformance-case.ts';
export { conversationConformance } from './conversation/conversation-conformance.ts';
export type {
  ConversationConformanceCase,
  ConversationScript,
  ConversationSuiteContext,
  ConversationSuiteFeatures,
  ConversationUnderTest,
} from './conversation/conversation-under-test.ts';
export { ModelScript, type ModelTurn, type ScriptedCall } from './conversation/model-script.ts';
export { ScriptedAgent, type ScriptedAgentOptions } from './scripted-agent.ts';
export { registryConformance } from './registry/registry-conformance.ts';
export type {
  RegistryConformanceCase,
  RegistrySuiteContext,
  RegistryUnderTest,
} from './registry/registry-under-test.ts';
export { storeConformance } from './store/store-conformance.ts';
export type { StoreHarness } from './store/store-harness.ts';
export {
  suiteFeatures,
  type StoreConformanceCase,
  type StoreSuiteContext,
  type StoreSuiteFeatures,
  type StoreUnderTest,
} from './store/store-under-test.ts';

/**
 * Descriptions of security analyzers as OpenHands writes them.
 *
 * @packageDocumentation
 */
export { checkAnalyzerMembers } from './descriptions/analyzer-members.ts';

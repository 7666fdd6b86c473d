/**
 * Decisions of people and metadata in logs of local conversations, and the rules about both, for other packages. Loads neither agents nor stores.
 *
 * @packageDocumentation
 */
export { SUPERSEDED } from './rules/approvals.ts';
export { checkNewest } from './rules/check-newest.ts';
export { EXPIRED } from './rules/expired-questions.ts';
export { leavesSandbox } from './rules/leaves-sandbox.ts';
export { decisionIn, type NamedDecision } from './rules/named-decision.ts';
export { WORKS_ALONE } from './rules/recover.ts';
export { setMeta } from './rules/set-meta.ts';

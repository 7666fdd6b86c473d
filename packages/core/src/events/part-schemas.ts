/**
 * Schemas of parts of events, and the members that a schema chooses from.
 *
 * @module
 */
export { contentPartSchema as contentPart } from './content.ts';
export { goalStatusSchema as goalStatus } from './goal-status.ts';
export { schemaChoiceOf as choiceOf } from './model.ts';

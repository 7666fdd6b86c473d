/**
 * Finds loops in a conversation with an agent, event by event, and says which.
 *
 * @packageDocumentation
 */
export {};

/**
 * Durable conversations for clients of the AG-UI protocol: a handler for runs, interrupts and client tools, with state, and replay from
 * a cursor.
 *
 * @packageDocumentation
 */
export { createAgUiHandler } from './ag-ui-handler.ts';
export { clientToolsOf, type AgUiHandlerOptions } from './handler-options.ts';

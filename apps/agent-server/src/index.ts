/**
 * The agent server as a program, for programs that start it as a process, and the adapters of all protocols for a server of your own.
 *
 * @packageDocumentation
 */
export { serverProgram } from './server-program.ts';
export { servedProtocols, type ServedProtocolsOptions } from './protocols/served-protocols.ts';
export { PROTOCOLS, type ProtocolName } from './protocols/protocol-names.ts';

/** The protocols that the server can speak beside its own routes, by their names in settings and in `/server_info`. */
export const PROTOCOLS = ['openai', 'ai-ui', 'ag-ui', 'a2a', 'mcp'] as const;

/** The name of a protocol. */
export type ProtocolName = (typeof PROTOCOLS)[number];

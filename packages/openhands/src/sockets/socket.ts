import type { z } from 'zod';

/**
 * One WebSocket of the server: how to get there, and what its two ends say. All frames are JSON texts. What does not fit `params` or
 * `query`, or a wrong key in URL or header, is answered with HTTP 403 before the upgrade.
 */
export interface SocketRoute<Params, Query, ServerFrame, ClientFrame> {
  /** With parameters in braces. */
  readonly path: string;
  readonly params?: z.ZodType<Params>;
  readonly query: z.ZodType<Query>;
  readonly serverFrame: z.ZodType<ServerFrame>;
  readonly clientFrame: z.ZodType<ClientFrame>;
  /** Ours: OpenHands' 1.43.1 does not have it. */
  readonly extension?: true;
}

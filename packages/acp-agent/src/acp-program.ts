import type { Json } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';

/** A program that works as an agent, with all settings. */
export interface AcpProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | undefined;
  readonly mode: string | undefined;
  readonly instructions: string | undefined;
  /** Milliseconds. */
  readonly promptTimeout: number;
  /** Milliseconds. */
  readonly startupTimeout: number;
  /** Its MCP servers, as descriptions have them. */
  readonly mcp: Json | undefined;
  readonly sandbox: Sandbox | undefined;
  readonly platform: Platform;
}

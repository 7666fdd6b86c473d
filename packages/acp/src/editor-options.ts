import type { Implementation, McpServer } from '@agentclientprotocol/sdk';
import { checkOptionNames, checks, type Conversation, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import type { EditorMode } from './modes.ts';

/** A way to reach an MCP server. */
export type McpTransport = 'stdio' | 'http' | 'sse';

/** The place of a session that an editor makes or opens. */
export interface SessionPlace {
  /** The absolute path of the folder that the editor works in. */
  readonly cwd: string;
  /** The editor's MCP servers, all of transports in {@link EditorOptions.mcp}. Their values may be secrets. */
  readonly mcpServers: readonly McpServer[];
}

/** A conversation in a list of sessions. */
export interface SessionEntry {
  readonly id: string;
  /** The absolute path of its folder. */
  readonly cwd: string;
  readonly title?: string | null;
  /** ISO 8601. */
  readonly updatedAt?: string;
}

/** A part of a list of sessions. */
export interface SessionPage {
  readonly sessions: readonly SessionEntry[];
  /** Continues the list; absent at its end. */
  readonly next?: string;
}

/** Options of {@link connectEditor}. */
export interface EditorOptions {
  /** Makes the conversation of a new session. The connection closes no conversation: runs go on without their editor. */
  readonly create: (place: SessionPlace) => Promise<Conversation>;
  /**
   * Opens the conversation of a session; its id is the id of the session. Called again for each loading. Rejects `ConversationError` to
   * refuse: `NOT_FOUND` for an unknown session, `UNSUPPORTED` for MCP servers that it cannot get any more.
   */
  readonly open: (id: string, place: SessionPlace) => Promise<Conversation>;
  /** Lists sessions, of the folder `cwd` if it is given. Default: the editor is told that there is no list. */
  readonly list?: (query: { readonly cwd?: string; readonly cursor?: string }) => Promise<SessionPage>;
  /** True if the person at the editor may approve and reject calls, and choose modes. Default `true`. */
  readonly mayApprove?: boolean;
  /** Modes to choose from. Default: `EDITOR_MODES`. */
  readonly modes?: readonly EditorMode[];
  /** The transports of MCP servers that conversations take from an editor. Others are refused by name. Default: none. */
  readonly mcp?: readonly McpTransport[];
  /** Name and version of the program, for the editor. */
  readonly info?: Implementation;
  /** Receives errors that the editor is not told of. */
  readonly onError?: (error: unknown) => void;
  /** Gives ids and waits. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<EditorOptions> = {
  create: true,
  open: true,
  list: true,
  mayApprove: true,
  modes: true,
  mcp: true,
  info: true,
  onError: true,
  platform: true,
};

/** Checks options. Throws `TypeError` for names and values that mean nothing. */
export function checkEditorOptions(options: EditorOptions): void {
  checkOptionNames('connectEditor', options, NAMES);
  for (const name of ['create', 'open'] as const)
    if (typeof options[name] !== 'function')
      throw new TypeError(
        checks.wrongValue(`connectEditor: ${name}`, 'a function that resolves with a conversation', options[name]),
      );
}

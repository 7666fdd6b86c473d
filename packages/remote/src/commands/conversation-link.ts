import type { CommitReader } from '../sources/commit-reader.ts';
import type { Follower } from '../sync/follower.ts';
import type { RemoteState } from '../sync/remote-state.ts';
import type { ConversationApi } from '../transport/conversation-api.ts';
import type { ServerCapabilities } from '../transport/server-capabilities.ts';

/** A conversation on a server, as its commands use it. */
export interface ConversationLink {
  readonly api: ConversationApi;
  readonly state: RemoteState;
  readonly follower: Follower;
  /** Reader of commits, if the server gives them. */
  readonly commits: CommitReader | undefined;
  readonly capabilities: ServerCapabilities;
  readonly closed: AbortSignal;
}

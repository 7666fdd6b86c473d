/** How the server is set up. Paths are absolute. */
export interface Configuration {
  /** Where it listens. Default `127.0.0.1`; an address that others reach needs a key. */
  readonly host: string;
  readonly port: number;
  /** Any of these opens the server. Without any key the server makes a token. */
  readonly sessionKeys: readonly string[];
  /** Any of these opens the server and may approve. With one, session keys alone may not. */
  readonly approverKeys: readonly string[];
  /** Encrypts what is secret at rest and on its way to clients. Default: one that is made and kept beside the settings. */
  readonly secretKey: string | undefined;
  /** Keys that were the secret key before. What they encrypted is still read. */
  readonly oldSecretKeys: readonly string[];
  /** Where conversations live: `fs:DIR`, `sqlite:FILE`, `postgres://…`, `s3:BUCKET/PREFIX`. */
  readonly store: string;
  /** A folder for each conversation's side files; that of the store when it is one of folders. */
  readonly conversationsFolder: string;
  /** Where conversations work that name no folder, and commands that clients run. */
  readonly workspaceFolder: string;
  /** Where conversations that ask for a git worktree get one. Default: `worktrees` beside the conversations. */
  readonly worktreesFolder: string;
  /** Holds settings, secrets, profiles and the list of workspaces of clients. */
  readonly settingsFolder: string;
  /** Folders that file, git and command routes may touch. */
  readonly allowedFolders: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly corsOriginPattern: string | undefined;
  /** How other servers on the same store reach this one. Setting it makes the server one of many. */
  readonly serverUrl: string | undefined;
  /** URLs of the servers of a fleet; a `*` stands for one part of a name or for a port. No other server is asked for anything. */
  readonly serverPeers: readonly string[];
  /** Seconds after which a conversation may be taken over from a server of which nothing was heard. */
  readonly takeoverSeconds: number;
  /** Runs at the same time; more wait. */
  readonly maxConcurrentRuns: number;
  /** Seconds after which a conversation that nobody uses is let go. */
  readonly idleSeconds: number;
  /** Seconds that a shutdown may take; clients that are still there are cut off after half of it. */
  readonly shutdownSeconds: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** Lines of JSON; else text for people. */
  readonly logJson: boolean;
  /** `/metrics` is answered without a key. */
  readonly metricsOpen: boolean;
  /** A folder of files that the server offers at `/`, without a key. */
  readonly staticFolder: string | undefined;
  /** Files that the configuration itself was read from, keys among them. No agent has business with them. */
  readonly ownFiles: readonly string[];
}

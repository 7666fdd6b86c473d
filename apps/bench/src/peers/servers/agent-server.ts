/** An agent server with the HTTP interface of OpenHands' that is measured as the program that people start. */
export interface AgentServer {
  /** Short and stable. */
  readonly key: string;
  readonly title: string;
  /** Packages whose versions the report states; none for ours. */
  readonly packages: readonly string[];
  /** Requirement beside the packages of npm. */
  readonly needs?: 'python';
  /** Starts the program, with everything that it keeps in a folder; resolves when it answers. */
  start(folder: string): Promise<RunningServer>;
  /** Appends messages to a conversation of a server that has ended, until its log has so many events. */
  fill(folder: string, id: string, count: number): Promise<void>;
}

/** Process of an agent server. */
export interface RunningServer {
  /** Address, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Resolves with the bytes of memory that its process has. */
  resident(): Promise<number>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** The key that opens every server of a measurement. */
export const SERVER_KEY = 'bench-session-key';

/** Folder of a server's conversations. */
export const conversationsIn = (folder: string): string => `${folder}/conversations`;

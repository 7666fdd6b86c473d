import type { AssessOptions } from '@conv/core';
import { type ActionEvent, type Event, type EventDraftOfKind, isEvent } from '@conv/core/events';
import { isObject, Turns } from '@conv/core/platform';

/** Events of a conversation, oldest first. */
interface Events {
  readonly length: number;
  slice(start: number, end: number): Promise<readonly Event[]>;
}

/** Events that are read at once. */
const PAGE = 200;

/** Maximum number of shell actions without a result that are passed on; with more, the folder counts as unknown. */
const MAX_ACTIONS = 50;

/** Stands for an unknown folder: no path that is relative to it lies in the workspace. */
const UNKNOWN_FOLDER = '/';

/**
 * Finds the folder of the agent's shell in the results of its commands, as the terminal and any tool with the member
 * `metadata.working_dir` tell it. Reads back to the newest such result once, then only new events.
 */
export class ShellPosition {
  readonly #events: Events;
  readonly #workingDirectory: string;
  /** Number of events that another process has written: its shell has ended with it, or still runs. */
  readonly #older: number;
  #read: number | undefined;
  #folders: readonly string[] | undefined;
  #actions: readonly ActionEvent[] = [];
  #turns: Turns | undefined;

  constructor(events: Events, workingDirectory: string) {
    this.#events = events;
    this.#workingDirectory = workingDirectory;
    this.#older = events.length;
  }

  /** Resolves with the facts for the rating of each action. Rejects if the events cannot be read. */
  async before(
    actions: readonly EventDraftOfKind<'ActionEvent'>[],
  ): Promise<readonly Pick<AssessOptions, 'shellFolders' | 'earlierActions'>[]> {
    await (this.#turns ??= new Turns()).run(() => this.#catchUp());
    const asked = new Set(actions.map((action) => ('id' in action ? action.id : undefined)));
    const open = this.#actions.filter(({ id }) => !asked.has(id));
    return actions.map((_, at) => {
      const earlier = [...open, ...actions.slice(0, at).filter(isCommand)];
      const isCut = earlier.length > MAX_ACTIONS;
      const folders = isCut ? [...(this.#folders ?? [this.#workingDirectory]), UNKNOWN_FOLDER] : this.#folders;
      return {
        ...(folders ? { shellFolders: folders } : {}),
        ...(earlier.length > 0 ? { earlierActions: earlier.slice(-MAX_ACTIONS) } : {}),
      };
    });
  }

  async #catchUp(): Promise<void> {
    const { length } = this.#events;
    this.#read ??= await this.#newestFolder(length);
    while (this.#read < length) {
      const end = Math.min(length, this.#read + PAGE);
      const page = await this.#events.slice(this.#read, end);
      page.forEach((event, at) => this.#add(event, (this.#read ?? 0) + at));
      this.#read = end;
    }
  }

  /** Resolves with the number of the newest event that tells a folder; 0 without one. */
  async #newestFolder(length: number): Promise<number> {
    for (let end = length; end > 0; end -= PAGE) {
      const start = Math.max(0, end - PAGE);
      const page = await this.#events.slice(start, end);
      const at = page.findLastIndex((event) => folderIn(event) !== undefined);
      if (at !== -1) return start + at;
    }
    return 0;
  }

  #add(event: Event, index: number): void {
    if (isEvent(event, 'ActionEvent')) {
      if (isCommand(event)) this.#actions = [...this.#actions, event];
    } else if (isEvent(event, 'UserRejectObservation'))
      this.#actions = this.#actions.filter(({ id }) => id !== event.action_id);
    const folder = folderIn(event);
    if (folder === undefined) return;
    // a shell of another process may be gone, and a new one begins in the workspace
    this.#folders = index < this.#older ? [folder, this.#workingDirectory] : [folder];
    const at = isEvent(event, 'ObservationEvent') ? this.#actions.findIndex(({ id }) => id === event.action_id) : -1;
    this.#actions = this.#actions.slice(at + 1);
  }
}

/** True if an action may move the shell: it has a command that is not empty, and no path as editors of files have. */
function isCommand({ action }: Pick<EventDraftOfKind<'ActionEvent'>, 'action'>): boolean {
  if (!isObject(action) || 'path' in action) return false;
  const { command, reset } = action as { readonly command?: unknown; readonly reset?: unknown };
  return typeof command === 'string' && (command.trim() !== '' || reset === true);
}

/** Returns the folder in which a command has left its shell; `undefined` if the event is no result of a finished command. */
function folderIn(event: Event): string | undefined {
  if (!isEvent(event, 'ObservationEvent') || !isObject(event.observation)) return undefined;
  const { metadata, exit_code: own, timeout } = event.observation as Readonly<Record<string, unknown>>;
  if (!isObject(metadata) || typeof metadata['working_dir'] !== 'string') return undefined;
  const { working_dir: folder, exit_code: exitCode = own } = metadata;
  // the command still runs, or was refused
  if (exitCode === -1 || timeout === true) return undefined;
  return folder.startsWith('/') ? folder : UNKNOWN_FOLDER;
}

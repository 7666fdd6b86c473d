import type { RiskAssessment } from '@conv/core';
import type { SecurityRisk } from '@conv/core/events';

/** A reason why an action is risky. */
export interface Finding {
  /** Short, lower case, stable. */
  readonly id: string;
  readonly risk: 'MEDIUM' | 'HIGH';
  /** For the person who is asked: the effect of the action, as a sentence. */
  readonly reason: string;
}

const HIGH = {
  'catastrophic-delete': 'Deletes a system folder, a home folder or a whole working folder.',
  'delete-outside': 'Deletes files outside of the workspace.',
  'delete-unseen': 'Deletes files whose names are not known before it runs.',
  'delete-history': 'Deletes the history of a repository.',
  'root-delete': 'Deletes files with the rights of the administrator.',
  shred: 'Overwrites files so that they cannot be restored.',
  'raw-disk-op': 'Writes to a disk directly or formats it, which destroys its contents.',
  'fetch-to-exec': 'Fetches code from the network and runs it unseen.',
  'decode-to-exec': 'Runs code that is hidden by an encoding.',
  'unseen-code': 'Runs commands or code that are not known before they run.',
  unread: 'Cannot be read as a whole: it is too long, nested too deep, or no valid command.',
  'fork-bomb': 'Starts processes without end, until the machine hangs.',
  'reverse-shell': 'Opens this machine to another machine.',
  'write-system': 'Writes a file that decides how the system works or who may use it.',
  'write-guard': 'Changes files or settings that guard the agent, or that run by themselves later.',
  'link-outside':
    'Makes a link that leads out of the workspace, so that later paths through it look like paths inside.',
  'hidden-folder':
    'Changes the folder of the shell in a hidden way, so that later commands run elsewhere than it seems.',
  'open-system': 'Changes who may use the files of a system or home folder.',
  'protection-off': 'Disables a protection of the system.',
  'hide-traces': 'Removes the traces of earlier commands.',
  'kill-supervisor': 'Ends or stops the program that runs the agent, or all processes.',
  supervisor: 'Connects to the server that runs the agent, or changes its conversations.',
  'process-memory': 'Reads the environment, the memory or the open files of a process, where keys are.',
  'read-keys': 'Reads keys or passwords, which the model then sees.',
  'send-secrets': 'Sends keys, passwords or private files over the network.',
  'root-shell': 'Becomes the administrator.',
  'take-machine': 'Takes control of the whole machine, beyond the limits of a container or a user.',
  'set-user-id': 'Lets a program run with the rights of another user.',
  'grant-rights': 'Gives other people rights over an account, a project or a cluster.',
  'stop-service': 'Stops or empties a service that others use.',
  expose: 'Opens data or a service to everyone.',
  'destroy-service': 'Destroys data of a database or of a service.',
  'injected-program': 'Makes a tool run another program through a setting or an option.',
} as const;

const MEDIUM = {
  'delete-unnamed': 'Deletes files outside of the workspace, or whose names are not known.',
  'write-outside': 'Writes files outside of the workspace.',
  'write-settings': 'Writes a settings file of the user or of the repository.',
  'read-private': 'Reads files that may hold passwords or private data.',
  'run-outside': 'Runs a program file from outside of the workspace.',
  'unknown-program': 'Runs a program whose name is not known before it runs.',
  'piped-code': 'Runs the output of another command as commands.',
  'code-execution': 'Starts programs from within a piece of code.',
  fetch: 'Uses the network.',
  loopback: 'Connects to a program on this machine.',
  install: 'Installs packages, which may run code of their own.',
  'run-package': 'Runs a package that is fetched for it.',
  'git-discard': 'Throws away changes or files that git has not saved.',
  'git-force': 'Overwrites or deletes data in a repository that others use.',
  publish: 'Publishes to others.',
  administrator: 'Runs with the rights of the administrator.',
  'open-files': 'Makes files writable for everyone.',
  later: 'Arranges for something to run later.',
  power: 'Shuts the machine down or restarts it.',
  processes: 'Ends processes that it may not have started.',
  'change-service': 'Changes something in an account, a project or a cluster.',
  'service-data': 'Deletes data of a database or of a service.',
  'leaves-workspace': 'Leaves the shell in a folder outside of the workspace.',
  machine: 'Changes the running system.',
} as const;

/** Names of findings about what runs. */
export type FindingId = keyof typeof HIGH | keyof typeof MEDIUM;

const FINDINGS: ReadonlyMap<string, Finding> = new Map(
  [
    ...Object.entries(HIGH).map(([id, reason]): Finding => ({ id, risk: 'HIGH', reason })),
    ...Object.entries(MEDIUM).map(([id, reason]): Finding => ({ id, risk: 'MEDIUM', reason })),
  ].map((finding) => [finding.id, finding]),
);

export function findingOf(id: FindingId): Finding {
  return FINDINGS.get(id) as Finding;
}

/** Returns the worst of the findings and their reasons, the worst first; `LOW` if there are no findings. */
export function assessment(
  findings: readonly Finding[],
  say = (finding: Finding): string => finding.reason,
): RiskAssessment {
  if (findings.length === 0) return { risk: 'LOW', reasons: [] };
  const reasons: string[] = [];
  let risk: SecurityRisk = 'MEDIUM';
  for (const finding of findings) {
    if (finding.risk !== 'HIGH') continue;
    risk = 'HIGH';
    addNew(reasons, say(finding));
  }
  for (const finding of findings) if (finding.risk === 'MEDIUM') addNew(reasons, say(finding));
  return { risk, reasons };
}

function addNew(reasons: string[], reason: string): void {
  if (!reasons.includes(reason)) reasons.push(reason);
}

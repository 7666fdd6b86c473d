import { isMention, plainProgram } from './mention.ts';
import { isCatastrophic } from './places.ts';
import { commandRule, type Rule, textRule, wordSet } from './rule.ts';
import {
  argumentsOf,
  hasOption,
  names,
  operandsOf,
  programName,
  programsOf,
  type ShellCommand,
} from './shell-commands.ts';

const RM = wordSet('rm');
const RIMRAF = wordSet('rimraf');
const FIND = wordSet('find');
const RMDIR = wordSet('rmdir rd');
const DEL = wordSet('del erase');
const REMOVE_ITEM = wordSet('remove-item ri');
const BECOME_ROOT = wordSet('sudo doas su pkexec');
const SHRED = wordSet('shred srm wipe');
const GIT = wordSet('git');
const FED = wordSet('xargs parallel');

/** What `rm` is given; `undefined` where it is a word of something else. */
function removed(command: ShellCommand): readonly string[] | undefined {
  const at = command.words.findIndex((word) => RM.has(programName(word)));
  return at === -1 || isMention(command) || isSubcommand(command, at) ? undefined : command.words.slice(at + 1);
}

/** `git rm`, `docker rm` and the like delete what they know of, not any file. */
function isSubcommand(command: ShellCommand, at: number): boolean {
  const { words } = command;
  const start = words[0] === 'sudo' ? 1 : 0;
  const isTool = plainProgram(command) === words[0] && TOOLS.has(words[start] ?? '');
  return isTool && at > start && words.slice(start + 1, at).every((word) => GROUPS.has(word));
}

const TOOLS = wordSet('git docker podman npm yarn pnpm svn hg kubectl dvc aws');
const GROUPS = wordSet('container volume image network compose lfs remote s3');

function isRecursive(words: readonly string[]): boolean {
  return hasOption(words, 'r', 'recursive');
}

function isForced(words: readonly string[]): boolean {
  return hasOption(words, 'f', 'force');
}

function deletesFound(command: ShellCommand): boolean {
  const words = argumentsOf(command, FIND);
  if (words === undefined || isMention(command)) return false;
  const runs = words.some((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  return words.includes('-delete') || (runs && (names(command, RM) || names(command, SHRED)));
}

function deletesOnWindows(command: ShellCommand): boolean {
  const folder = argumentsOf(command, RMDIR)?.includes('/s') === true;
  const files = argumentsOf(command, DEL);
  const item = argumentsOf(command, REMOVE_ITEM);
  return folder || files?.includes('/s') === true || item?.some((word) => /^-r(?:e(?:c\w*)?)?$/.test(word)) === true;
}

/** A recursive deletion, forced or not, of what nobody means to lose. */
function deletesEverything(command: ShellCommand): boolean {
  const words = removed(command);
  if (words !== undefined && (isRecursive(words) || isForced(words)) && operandsOf(words).some(isCatastrophic))
    return true;
  const found = argumentsOf(command, FIND);
  if (found !== undefined && deletesFound(command))
    return operandsOf(found)
      .slice(0, 1)
      .some((path) => isCatastrophic(path) && path !== '.');
  const moved = argumentsOf(command, wordSet('mv'));
  if (moved !== undefined && moved.at(-1) === '/dev/null') return true;
  return words?.includes('--no-preserve-root') === true;
}

/** Recursive deletions of a system, a home, or the folder that a command stands in. */
export const catastrophicDelete: Rule = commandRule(
  'catastrophic-delete',
  'HIGH',
  'Deletes a system folder, a home folder or a whole working folder.',
  deletesEverything,
);

/** Rules about what is deleted. */
export const deletionRules: readonly Rule[] = [
  catastrophicDelete,
  commandRule('recursive-delete', 'HIGH', 'Deletes folders with all that is in them, without asking.', (command) => {
    const words = removed(command);
    const rimraf = argumentsOf(command, RIMRAF);
    const isRimraf =
      rimraf !== undefined &&
      operandsOf(rimraf).length > 0 &&
      programsOf(command).some((name) => RIMRAF.has(name) || name === 'npx');
    return isRimraf || (words !== undefined && isRecursive(words) && isForced(words));
  }),
  commandRule('root-delete', 'HIGH', 'Deletes files with the rights of the administrator.', (command) => {
    return removed(command) !== undefined && names(command, BECOME_ROOT);
  }),
  commandRule('find-delete', 'HIGH', 'Deletes every file that a search finds.', (command) => {
    const isFed = programsOf(command).some((name) => FED.has(name)) && names(command, RM);
    return deletesFound(command) || isFed;
  }),
  commandRule('windows-delete', 'HIGH', 'Deletes folders with all that is in them.', deletesOnWindows),
  commandRule(
    'shred',
    'HIGH',
    'Overwrites files so that they cannot be brought back.',
    (command) => programsOf(command).some((name) => SHRED.has(name)) && command.words.length > 1 && !isMention(command),
  ),
  textRule(
    'code-delete',
    'HIGH',
    'Deletes folders with all that is in them, by a program.',
    /\bshutil\.rmtree\b|\brmtree ?\(|\b(?:rmsync|fs\.rm|fs\.promises\.rm)\b ?\([^\n]{0,200}?\brecursive\b|\bfileutils\.rm_rf?\b|\bos\.removeall\b|\bremove_dir_all\b|\bremove_tree\b/i,
  ),
  commandRule('folder-delete', 'MEDIUM', 'Deletes all that is in a folder.', (command) => {
    const words = removed(command) ?? [];
    return isRecursive(words) || operandsOf(words).some((path) => /(?:^|\/)\.?\*$/.test(path));
  }),
  commandRule('git-discard', 'MEDIUM', 'Throws away changes or files that git has not saved.', (command) => {
    const words = argumentsOf(command, GIT);
    if (words === undefined || isMention(command)) return false;
    if (words.includes('clean')) return hasOption(words, 'f', 'force');
    if (words.includes('rm')) return isRecursive(words) && isForced(words) && !words.includes('--cached');
    if (words.includes('reset') && words.includes('--hard')) return true;
    if (words.includes('stash')) return words.includes('drop') || words.includes('clear');
    return (
      (words.includes('checkout') && words.includes('--')) || (words.includes('restore') && !words.includes('--staged'))
    );
  }),
  textRule(
    'data-delete',
    'MEDIUM',
    'Deletes data of a database or of a service.',
    /\bdrop (?:table|database|schema)\b|\btruncate table\b|\bdelete from \w{1,60} ?(?:;|$)|\bterraform destroy\b|\bkubectl delete\b|\bdocker (?:system|volume) prune\b|\bs3 (?:rm\b[^\n]{0,200}--recursive|rb\b)|\bgh repo delete\b|\bdropdb \w|\.dropdatabase ?\(|\bflush(?:all|db)\b|\bterminate-instances\b|\bgcloud\b[^\n]{0,100} delete\b|\bhelm (?:uninstall|delete)\b|\brsync\b[^\n]{0,200} --delete/im,
  ),
];

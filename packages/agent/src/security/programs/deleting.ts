import { hasOption, namesOf, operandsOf, type Program, wordSet } from '../commands/call.ts';
import { deletes } from '../commands/file-access.ts';
import type { PlaceKind } from '../facts/places.ts';

/** Places that are the agent's own. */
const NEAR: ReadonlySet<PlaceKind> = new Set<PlaceKind>(['inside', 'workspace', 'git', 'temporary', 'stream']);

const rm: Program = (call) => {
  const isRecursive = hasOption(call.texts, 'rR', 'recursive');
  if (call.texts.includes('--no-preserve-root')) call.shell.report('catastrophic-delete');
  if (call.shell.isRoot) call.shell.report('root-delete');
  for (const word of operandsOf(call)) deletes(word, call.shell, isRecursive);
};

const rimraf: Program = (call) => {
  for (const word of operandsOf(call)) deletes(word, call.shell, true);
};

const unlink: Program = (call) => {
  for (const word of operandsOf(call, '-s -r --size --reference')) deletes(word, call.shell, false);
};

/** Judges moving files to the trash. They can be restored from there, though hardly a whole home. */
const trash: Program = (call) => {
  const [first, ...others] = operandsOf(call);
  const isDeleting = !GUI.has(call.name) || /^(?:trash|remove|move)$/.test(first?.text ?? '');
  const words = GUI.has(call.name) ? others : operandsOf(call);
  if (isDeleting) for (const word of words) deletes(word, call.shell, false);
};

/** Programs of desktops whose first operand is a command. */
const GUI = wordSet('gio kioclient kioclient5 kioclient6');

const shred: Program = (call) => {
  for (const word of operandsOf(call, '-n -s')) {
    call.shell.report(call.shell.place(word.text).kind === 'device' ? 'raw-disk-op' : 'shred');
  }
};

/** Windows: `rd /s`, `del /s`, `Remove-Item -Recurse`, `format c:`. */
const windowsDelete: Program = ({ name, texts, words, shell }) => {
  const isAll = texts.some((text) => /^\/s$/i.test(text) || /^-r(?:e(?:c\w*)?)?$/i.test(text));
  if (name === 'format' ? texts.some((text) => /^[a-z]:/i.test(text)) : isAll) shell.report('catastrophic-delete');
  else if (name !== 'format') for (const word of words) if (!word.text.startsWith('/')) deletes(word, shell, false);
};

const truncate: Program = (call) => {
  for (const word of operandsOf(call, '-s --size -r --reference -o'))
    if (!NEAR.has(call.shell.place(word.text).kind)) deletes(word, call.shell, true);
};

export const deletingPrograms: Readonly<Record<string, Program>> = {
  rm,
  truncate,
  ...namesOf(rimraf, 'rimraf'),
  ...namesOf(unlink, 'unlink'),
  ...namesOf(trash, 'trash trash-put rmtrash gvfs-trash gio kioclient kioclient5 kioclient6'),
  ...namesOf(shred, 'shred srm wipe'),
  ...namesOf(windowsDelete, 'rd rmdir del erase remove-item ri format'),
};

import { privacyOf } from '../facts/private-files.ts';
import { hasOption, namesOf, operandsOf, type Program } from '../commands/call.ts';
import { setsUserId } from '../commands/options.ts';

const chmod: Program = (call) => {
  const [mode, ...files] = operandsOf(call, '--reference');
  const text = mode?.text ?? '';
  const isUserId = setsUserId(text);
  const isOpen = /^0?\d?\d[2367]$|^0?777$|^(?:[ugo]*[oa][ugoa]*)?[+=][rx]*w/.test(text) && !/^[ug]+[+=]/.test(text);
  for (const word of files) {
    const { kind } = call.shell.place(word.text);
    const isDeep = hasOption(call.texts, 'R', 'recursive');
    if (isUserId) call.shell.report('set-user-id');
    else if (showsToOthers(text) && privacyOf(call.shell.place(word.text), call.shell.world.guarded, isDeep) === 'keys')
      call.shell.report('open-system');
    else if (
      kind !== 'inside' &&
      kind !== 'workspace' &&
      kind !== 'temporary' &&
      (isOpen || isDeep || kind === 'system')
    )
      call.shell.report('open-system');
    else if (isOpen && isDeep) call.shell.report('open-files');
  }
};

/** True if a mode lets others than the owner read. */
function showsToOthers(mode: string): boolean {
  if (/^[0-7]{3,4}$/.test(mode)) return /[4-7]/.test(mode.slice(-2));
  return /^[ugoa]*[+=][wxX]*r/.test(mode) && !/^u+[+=]/.test(mode);
}

const setcap: Program = ({ shell }) => shell.report('set-user-id');

const chown: Program = (call) => {
  for (const word of operandsOf(call).slice(1)) {
    const { kind } = call.shell.place(word.text);
    if (kind === 'system' || kind === 'above' || kind === 'home') call.shell.report('open-system');
    else if (kind === 'outside' || kind === 'personal') call.shell.report('write-outside');
  }
};

/** Programs that change who may use a file. */
export const permissionPrograms: Readonly<Record<string, Program>> = {
  chmod,
  setcap,
  ...namesOf(chown, 'chown chgrp'),
};

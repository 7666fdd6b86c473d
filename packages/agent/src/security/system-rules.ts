import { isCatastrophic, riskOfWriting } from './places.ts';
import { commandRule, type Rule, textRule, wordSet } from './rule.ts';
import { argumentsOf, hasOption, operandsOf, programName, programsOf, type ShellCommand } from './shell-commands.ts';

const CHMOD = wordSet('chmod');
const CHOWN = wordSet('chown chgrp');
/** Programs whose last operand is what they write. */
const WRITE_LAST = wordSet('cp ln install rsync scp');
/** Programs that write all of their operands, and what file editors call their commands. */
const WRITE_ALL = wordSet('tee truncate rm mv chattr unlink shred');
/** What file editors call their commands; the file comes first, and then what is written. */
const WRITE_FIRST = wordSet('create str_replace insert undo_edit write');

/** The worst that is done to a file of the system. */
function riskOfWrites(command: ShellCommand): 'HIGH' | 'MEDIUM' | undefined {
  const { words } = command;
  const redirected = words.filter((_, index) => /^(?:\d|&)?>/.test(words[index - 1] ?? ''));
  const given = argumentsOf(command, WRITE_ALL);
  const copied = argumentsOf(command, WRITE_LAST);
  const edited = programName(words[0] ?? '') === 'sed' && hasOption(words, 'i', 'in-place') ? words : [];
  const output = words.filter((word) => word.startsWith('of=')).map((word) => word.slice(3));
  const file = operandsOf(argumentsOf(command, WRITE_FIRST) ?? []).slice(0, 1);
  const targets = [
    ...file,
    ...redirected,
    ...(given ?? []),
    ...operandsOf(copied ?? []).slice(-1),
    ...edited,
    ...output,
  ];
  const risks = targets.map(riskOfWriting);
  return risks.includes('HIGH') ? 'HIGH' : risks.find((risk) => risk !== undefined);
}

function opens(command: ShellCommand): 'HIGH' | 'MEDIUM' | undefined {
  const given = argumentsOf(command, CHMOD);
  const owned = argumentsOf(command, CHOWN);
  const words = given ?? owned;
  if (words === undefined || !hasOption(words, 'r', 'recursive')) {
    return given?.some((word) => /^(?:[ugoa]*\+[rwx]*s|[2467][0-7]{3})$/.test(word)) === true ? 'MEDIUM' : undefined;
  }
  if (operandsOf(words).some((path) => isCatastrophic(path) && !/^(?:\.|\*|\.\/)/.test(path))) return 'HIGH';
  return given?.some((word) => /^0?777$|^(?:[ugo]*[oa][ugoa]*)?[+=][rx]*w/.test(word)) === true ? 'MEDIUM' : undefined;
}

const KILL = wordSet('kill');

/** Rules about what protects a system and keeps it running. */
export const systemRules: readonly Rule[] = [
  commandRule(
    'system-file',
    'HIGH',
    'Writes a file that decides how the system works or who may use it.',
    (command) => riskOfWrites(command) === 'HIGH',
  ),
  commandRule(
    'settings-file',
    'MEDIUM',
    'Writes a settings file outside the project.',
    (command) => riskOfWrites(command) === 'MEDIUM',
  ),
  commandRule(
    'open-system',
    'HIGH',
    'Changes who may use the files of a system or home folder.',
    (command) => opens(command) === 'HIGH',
  ),
  commandRule(
    'open-files',
    'MEDIUM',
    'Lets everybody write files, or lets a program run with the rights of others.',
    (command) => opens(command) === 'MEDIUM',
  ),
  textRule(
    'protection-off',
    'HIGH',
    'Switches off a protection of the system.',
    /\bsetenforce 0\b|\bufw (?:--force )?disable\b|\bauditctl -e ?0\b|\b(?:ip6?tables|nft) (?:-f\b|--flush|flush)|\b(?:systemctl|service)\b[^\n]{0,60}\b(?:stop|disable|mask)\b[^\n]{0,60}\b(?:firewalld|ufw|apparmor|auditd|fail2ban|clamav|iptables|nftables|selinux|falcon|crowdstrike)|\b(?:firewalld|ufw|apparmor|auditd|fail2ban) stop\b|\bcsrutil disable\b|\bspctl --(?:master|global)-disable\b|\bdisablerealtimemonitoring\b|\bnetsh\b[^\n]{0,60}\bstate off\b|\baa-(?:disable|teardown)\b|\bnopasswd ?:/i,
  ),
  textRule(
    'hide-traces',
    'HIGH',
    'Removes the traces of what was done.',
    /\bhistory -[cw]\b|\bunset histfile\b|\bhistfile ?= ?(?:\/dev\/null|[\n;]|$)|> ?~?[\w/]{0,40}\.(?:bash|zsh)_history\b|\bwevtutil cl\b|\bjournalctl\b[^\n]{0,40}--vacuum/im,
  ),
  commandRule('kill-everything', 'HIGH', 'Ends all processes of the machine.', (command) => {
    const words = argumentsOf(command, KILL);
    return words?.at(-1) === '-1' && (words.length > 1 || command.words[0] === 'kill') && words.length > 1;
  }),
  commandRule('power', 'MEDIUM', 'Switches the machine off or restarts it.', ({ words }) => {
    const [program = ''] = programsOf({ words, isPiped: false, inside: undefined });
    const isInit = program === 'init' && /^[06]$/.test(words[1] ?? '');
    return (
      isInit ||
      (/^(?:shutdown|reboot|poweroff|halt)$/.test(program) &&
        words.every((word) => /^[-+\w:./]+$/.test(word)) &&
        words.length < 5)
    );
  }),
  textRule(
    'kernel',
    'MEDIUM',
    'Changes the running system.',
    /\b(?:insmod|modprobe|rmmod) \w|\bmount -o ?\w{0,40}remount|\bsysctl (?:-w|--write)\b/i,
  ),
  textRule(
    'accounts',
    'MEDIUM',
    'Changes who may log in, or what runs by itself.',
    /\b(?:useradd|userdel|usermod|adduser|deluser|visudo|chpasswd)\b|\bcrontab (?:-r|-e|-|[\w/.])|\bauthorized_keys\b/i,
  ),
  commandRule('administrator', 'MEDIUM', 'Runs with the rights of the administrator.', (command) => {
    const [program = ''] = programsOf(command);
    return /^(?:sudo|doas|pkexec)$/.test(program) && command.words.length > 1;
  }),
  textRule(
    'container-escape',
    'HIGH',
    'Gives a container the whole machine.',
    /\b(?:docker|podman) (?:run|create|exec)\b[^\n]{0,400}?(?:--privileged\b|(?:-v|--volume)[ =]\/:|--pid[ =]host)|\bnsenter\b[^\n]{0,100}(?:-t|--target)[ =]?1\b/i,
  ),
];

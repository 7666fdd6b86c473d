import { RAW_DEVICE } from './places.ts';
import { type Rule, commandRule, wordSet } from './rule.ts';
import { argumentsOf, programName, type ShellCommand } from './shell-commands.ts';

const PARTITION = wordSet(
  'wipefs blkdiscard sgdisk sfdisk fdisk gdisk parted badblocks mkswap hdparm nvme cryptsetup shred tee cp cat',
);
const DISKUTIL = /^(?:erasedisk|erasevolume|partitiondisk|zerodisk|secureerase|reformat)$/;

function writesDevice(command: ShellCommand): boolean {
  const { words } = command;
  const intoDevice = words.some(
    (word, index) => />/.test(words[index - 1] ?? '') && !/[<]/.test(words[index - 1] ?? '') && RAW_DEVICE.test(word),
  );
  if (intoDevice) return true;
  if (words.some((word) => word.startsWith('of=') && RAW_DEVICE.test(word.slice(3)))) return true;
  const given = argumentsOf(command, PARTITION);
  const onlyReads = /^(?:cat|cp)$/.test(words.map(programName).find((name) => PARTITION.has(name)) ?? '');
  if (given === undefined) return false;
  return onlyReads
    ? given.length > 1 && RAW_DEVICE.test(given.at(-1) ?? '') && !words.includes('cat')
    : given.some(isTarget);
}

function isTarget(word: string): boolean {
  return RAW_DEVICE.test(word);
}

function formats({ words }: ShellCommand): boolean {
  const at = words.findIndex((word) => /^(?:mkfs(?:\.\w+)?|mke2fs|newfs\w*|mkntfs)$/.test(programName(word)));
  const given = at === -1 ? [] : words.slice(at + 1);
  if (given.some((word) => /^[-/$]/.test(word)) || (words[at]?.includes('.') === true && given.length > 0)) return true;
  if (words.some((word, index) => programName(word) === 'format' && /^[a-z]:(?:\/\w+)?$/.test(words[index + 1] ?? '')))
    return true;
  return words.some((word, index) => word === 'diskutil' && DISKUTIL.test(words[index + 1] ?? ''));
}

/** Writing over disks past their file systems, and making new ones on them. */
export const rawDiskOperation: Rule = commandRule(
  'raw-disk-op',
  'HIGH',
  'Writes to a disk directly or formats it, which destroys what is on it.',
  (command) => writesDevice(command) || formats(command),
);

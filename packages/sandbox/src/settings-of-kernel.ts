import { existsSync } from 'node:fs';

/**
 * Settings of the machine in `/proc` that root may change without privileges, because the kernel asks for the user alone. Among it is the program that it starts when another one has crashed
 * (`/proc/sys/kernel/core_pattern`), with all rights and in no sandbox. Bubblewrap leaves these as they are where the folder itself cannot be written.
 */
const SETTINGS = 'acpi asound bus driver dynamic_debug fs irq mtrr scsi sys sysrq-trigger'.split(' ');

/** Returns the arguments with which a program of root only reads the settings of the kernel; none for other users, whom the kernel refuses them. */
export function readOnlySettings(user: number | undefined = process.getuid?.()): readonly string[] {
  if (user !== 0) return [];
  const paths = SETTINGS.map((name) => `/proc/${name}`).filter((path) => existsSync(path));
  return paths.flatMap((path) => ['--ro-bind', path, path]);
}

/** Variables that programs need to find their way, and that hold no secrets. */
const PASSED: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TERM',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
];

/** Returns the variables of this process that a command gets: the usual variables and the named ones. */
export function commandEnvironment(names: readonly string[]): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined) continue;
    if (PASSED.includes(name) || /^LC_[A-Z]+$/.test(name) || names.includes(name)) environment[name] = value;
  }
  return environment;
}

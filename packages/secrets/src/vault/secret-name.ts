const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * Variables that shells, loaders and language runtimes read when they start. A secret of such a name would change which
 * program runs, or its first actions. Compared without regard to case, as Windows does.
 */
const READ_AT_START = new Set(
  [
    'PATH PATHEXT HOME SHELL USER LOGNAME PWD OLDPWD TERM TERMINFO TMPDIR TEMP TMP',
    'ENV BASH_ENV BASHOPTS SHELLOPTS ZDOTDIR CDPATH IFS FPATH POSIXLY_CORRECT',
    'PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND COMSPEC SYSTEMROOT WINDIR PSMODULEPATH',
    'LANG LOCPATH NLSPATH GCONV_PATH GLIBC_TUNABLES HOSTALIASES RESOLV_HOST_CONF',
    'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS',
    'PERL5LIB PERL5OPT PERLLIB RUBYLIB RUBYOPT CLASSPATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS',
    '_JAVA_OPTIONS EDITOR VISUAL PAGER GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_EDITOR GIT_PAGER',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR __PROTO__',
  ].flatMap((names) => names.split(' ')),
);
const READ_AT_START_PREFIX = /^(LD_|DYLD_|LC_|BASH_FUNC_|MALLOC_|GIT_CONFIG)/;

/** Returns the problem with the name of a secret; `undefined` when the name is fine. */
export function nameProblem(name: string): string | undefined {
  if (!NAME.test(name))
    return 'its name is not an identifier of at most 64 ASCII letters, digits and underscores, such as DEPLOY_TOKEN';
  const upper = name.toUpperCase();
  if (READ_AT_START.has(upper) || READ_AT_START_PREFIX.test(upper))
    return 'programs read a variable of this name when they start';
  return undefined;
}

/** Returns the names that occur in a text as whole identifiers, in their order. */
export function namesIn(text: string, names: Iterable<string>): readonly string[] {
  const identifiers = new Set(text.match(/[A-Za-z0-9_]+/g));
  return [...names].filter((name) => identifiers.has(name));
}

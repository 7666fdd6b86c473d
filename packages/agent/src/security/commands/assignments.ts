import type { ShellWord } from '../shell/word.ts';
import type { Call } from './call.ts';
import { isForeign } from './foreign-path.ts';

const RUNS_TEXT =
  /^(?:GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|SUDO_ASKPASS|SSH_ASKPASS|FCEDIT|RSYNC_RSH|TAR_OPTIONS|SHELLOPTS|PS4)$/;

const LOADS_CODE =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|GIT_(?:EXEC_PATH|TEMPLATE_DIR)|GIT_CONFIG_\w+|PERL5LIB|RUBYLIB)$/;

/** Variables that name folders or packages of code, or a program that a build runs. Those of the workspace are harmless. */
const NAMES_CODE =
  /^(?:PYTHONPATH|NODE_PATH|CLASSPATH|GEM_(?:HOME|PATH)|LUA_C?PATH|SHELL|MAKE|CC|CXX|CPP|LD|AR|AS|RM|INSTALL|RUSTC|RUSTC_(?:WORKSPACE_)?WRAPPER|CARGO|CMAKE_\w+_COMPILER(?:_LAUNCHER)?)$/;

const PROMPT = /^PS[0-4]$/;

const HARMLESS_PROGRAM = /^(?:true|false|cat|less(?: -\w+)*|more|vi|vim|nano|emacs|code(?: --wait)?|ssh(?: -\w+)*|:|)$/;

/** Sets variables, and reports those by which another program is run. */
export function assign(call: Pick<Call, 'shell'>, assignment: ShellWord): void {
  const at = assignment.text.indexOf('=');
  const name = assignment.text.slice(0, at);
  const value = assignment.text.slice(at + 1);
  call.shell.variables.set(name, { text: value, origin: assignment.origin });
  if (name === 'HISTFILE') call.shell.report('hide-traces');
  if (LOADS_CODE.test(name) && value !== '') call.shell.report('injected-program');
  if (name === 'NODE_OPTIONS' && /--(?:require|import|loader|inspect)|-r\b/.test(value))
    call.shell.report('injected-program');
  if (/^npm_config_(?:script_shell|node_options|git|shell)$/i.test(name)) call.shell.report('injected-program');
  if (NAMES_CODE.test(name) && value.split(/[:\s]/).some((path) => isForeign(path, call.shell)))
    call.shell.report('run-outside');
  if (name === 'PATH' && /(?:^|:)(?:\/tmp|\/var\/tmp|\/dev\/shm)/.test(value)) call.shell.report('injected-program');
  // a shell expands its prompts each time that it shows them
  if (PROMPT.test(name)) call.shell.evaluate(value);
  if (!RUNS_TEXT.test(name) || HARMLESS_PROGRAM.test(value)) return;
  if (value.includes(' ') || value.includes('/')) {
    call.shell.report('injected-program');
    call.shell.read(value, { isScript: false });
  }
}

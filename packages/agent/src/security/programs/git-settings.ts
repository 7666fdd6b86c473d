/** Settings of git that name a program which is harmless, and others that name none. */
const HARMLESS =
  /^(?:core\.(?:pager=(?:cat|less)?$|quotepath|autocrlf|longpaths|editor=(?:true|vi|vim|nano|cat|:)$)|color|user\.|commit\.gpgsign|advice|init\.(?!templatedir)|pull\.|push\.|diff\.(?:noprefix|renames|algorithm)|safe\.directory|http\.|log\.|protocol\.version|fetch\.|merge\.(?:conflictstyle|ff)|rebase\.auto)/i;

/** Settings by which git runs a program, or uses files that name one. */
const RUNS =
  /^(?:alias\.|core\.(?:alternaterefscommand|pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|attributesfile)|credential\..*helper|diff\..*(?:command|textconv|external)|filter\.|gpg\..*(?:program|command)|hook\.|imap\.tunnel|init\.templatedir|merge\..*driver|pager\.|sequence\.editor|uploadpack|remote\..*(?:uploadpack|receivepack|vcs|proxy)|url\.|include|protocol\.|core\.worktree|difftool|mergetool|interactive\.difffilter|submodule\..*update|sendemail\..*(?:cmd|smtpserver)|tar\..*command|trailer\..*(?:command|cmd)|(?:browser|man)\..*(?:cmd|path)|web\.browser|lfs\.(?:customtransfer|extension|standalone))/i;

/** True for a setting, as `name=value`, by which git may run a program. */
export function runsProgram(setting: string): boolean {
  return RUNS.test(setting) && !HARMLESS.test(setting);
}

/** The programs that commands of attempts start. Bash has the other words by itself. */
const PROGRAMS = (
  'base64 cat chmod cp curl dirname git grep head ln ls mkdir mknod mount mv node nohup nsenter perl renice rm sed seq setsid ' +
  'sleep tee touch tr unshare wc xargs'
).split(' ');

/** Returns the programs that a command names, without folders in front, and that bash has not by itself. */
export function programsOf(command: string): readonly string[] {
  // a word behind a dash is an option, and one behind a slash or a dot is part of a path
  return PROGRAMS.filter((name) => new RegExp(String.raw`(?<![\w./-])${name}(?![\w./-])`).test(command));
}

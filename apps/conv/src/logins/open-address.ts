import { spawn } from 'node:child_process';
import process from 'node:process';

/** The program that opens an address in the browser, by system. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** True if a person sits at this program, and a browser can open beside it. */
export function hasBrowser(environment: NodeJS.ProcessEnv = process.env): boolean {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return false;
  const { DISPLAY: x, WAYLAND_DISPLAY: wayland, BROWSER: browser, SSH_CONNECTION: ssh } = environment;
  if (ssh !== undefined && ssh !== '') return false;
  return process.platform !== 'linux' || [x, wayland, browser].some((value) => value !== undefined && value !== '');
}

/** Opens a web address in the browser. A machine without one is no error, because the address is printed as well. */
export function openAddress(address: string): void {
  const [file, ...args] = OPENERS[process.platform] ?? [];
  // a program that opens addresses opens files and starts programs, too
  if (file === undefined || !/^https?:$/.test(new URL(address).protocol)) return;
  const child = spawn(file, [...args, new URL(address).href], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}

import { chromium } from 'playwright-core';
import { findBrowser } from './find-browser.mjs';

/** Browsers look for updates and lists as they start; nothing answers them. */
export const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
];

/**
 * Opens a headless Chromium, with `shell` the headless shell; installs it where that is possible. Throws with what to
 * install when there is none.
 *
 * @param {{ shell?: boolean }} [options]
 */
export async function openChromium(options) {
  const { path, version } = findBrowser(options);
  return { browser: await chromium.launch({ executablePath: path, args: QUIET, chromiumSandbox: false }), version };
}

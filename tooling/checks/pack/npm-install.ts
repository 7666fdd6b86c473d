/** Arguments of an install that takes from the cache what is there: a second run asks the network for nothing. */
export const npmInstall = [
  'install',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--no-package-lock',
  '--loglevel=error',
];

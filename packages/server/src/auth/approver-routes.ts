import {
  approveActions,
  createDirectory,
  executeBashCommand,
  getSecret,
  rejectActions,
  respondToConfirmation,
  setConfirmationPolicy,
  setSecurityAnalyzer,
  startBashCommand,
  uploadFile,
} from '@conv/openhands/rest';

/**
 * Routes that decide what runs, run something that nobody is asked about, or tell a value that agents are kept from. Starting a conversation and running one need the right in some
 * cases only, which their handlers know.
 */
export const APPROVER_ROUTES: ReadonlySet<string> = new Set(
  [
    approveActions,
    rejectActions,
    respondToConfirmation,
    setConfirmationPolicy,
    setSecurityAnalyzer,
    executeBashCommand,
    getSecret,
    startBashCommand,
    uploadFile,
    createDirectory,
  ].map(({ operationId }) => operationId),
);

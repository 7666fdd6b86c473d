import {
  approveActions,
  createDirectory,
  executeBashCommand,
  rejectActions,
  respondToConfirmation,
  setConfirmationPolicy,
  setSecurityAnalyzer,
  startBashCommand,
  uploadFile,
} from '@conv/protocol';

/**
 * Routes that decide what runs, or run something that nobody is asked about. Starting a conversation and running one need the right in some
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
    startBashCommand,
    uploadFile,
    createDirectory,
  ].map(({ operationId }) => operationId),
);

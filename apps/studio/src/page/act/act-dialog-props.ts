/** Properties of a dialog that acts on the conversation of the view. */
export interface ActDialogProps {
  readonly onClose: () => void;
}

import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from './dialog.tsx';

interface AlertProps {
  readonly title: string;
  /** The one way to dismiss it. */
  readonly dismiss: string;
  readonly onDismiss: () => void;
  readonly children: ReactNode;
}

/** A message that must be acknowledged. */
export function AlertDialog({ title, dismiss, onDismiss, children }: AlertProps) {
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onDismiss}
      actions={<Button tone="primary" data-first-focus onClick={onDismiss}>{dismiss}</Button>}
    >
      {children}
    </Dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly accept: string;
  readonly reject: string;
  /** `danger` for an action that cannot be undone. */
  readonly tone?: 'primary' | 'danger';
  /** Whether the accepted action is under way. */
  readonly busy?: boolean;
  readonly onAccept: () => void;
  readonly onReject: () => void;
  readonly children: ReactNode;
}

/** A question that is accepted or rejected. Escape, the close button and the backdrop reject it. */
export function ConfirmDialog(
  { title, accept, reject, tone = 'primary', busy = false, onAccept, onReject, children }: ConfirmProps,
) {
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onReject}
      actions={
        <>
          <Button onClick={onReject}>{reject}</Button>
          <Button tone={tone} busy={busy} onClick={onAccept}>{accept}</Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

import { problemOf, useCallAddress, useRead } from '#platform/ui/calls/calls.ts';
import { Button, FileLink } from '#platform/ui/controls/button.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { askForCopy, downloadCopy, getCopyState } from '../../../client.ts';
import type { Confirmation } from '../../../rules/passkeys.ts';
import { LogInAgain, PROOF_FIELD_OF, ProofFields, proofIn } from './proof.tsx';

/** Asks for proof, then offers the file. */
export default function CopyDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getCopyState, {});
  const [ticket, setTicket] = useState<string | null>(null);
  return (
    <Dialog title={t('ownData.download')} onClose={onClose}>
      {ticket !== null
        ? <Ready ticket={ticket} />
        : !data
        ? (
          error
            ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
            : (
              <div aria-busy>
                <Skeleton className="h-24" />
              </div>
            )
        )
        : data.confirmation === 'log_in'
        ? <LogInAgain />
        : <AskForm confirmation={data.confirmation} onDone={setTicket} />}
    </Dialog>
  );
}

interface AskFormProps {
  readonly confirmation: Confirmation;
  readonly onDone: (ticket: string) => void;
}

function AskForm({ confirmation, onDone }: AskFormProps) {
  const { t } = useTranslation('accounts');
  const form = useForm(askForCopy, {
    shape: async () => (await import('../../../contract/life/own-data.ts')).askForCopy,
    read: (fields) => proofIn(fields),
    fieldOf: PROOF_FIELD_OF,
    onDone: ({ ticket }) => onDone(ticket),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p>{t('ownData.what')}</p>
      <ProofFields form={form} confirmation={confirmation} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('ownData.prepare')}</Button>
      </div>
    </form>
  );
}

function Ready({ ticket }: { readonly ticket: string }) {
  const { t } = useTranslation('accounts');
  const addressOf = useCallAddress();
  return (
    <div className="flex flex-col gap-4">
      <p role="status">{t('ownData.ready')}</p>
      <div>
        <FileLink href={addressOf(downloadCopy, { ticket })}>{t('ownData.file')}</FileLink>
      </div>
    </div>
  );
}

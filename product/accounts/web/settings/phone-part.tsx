import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { confirmPhone, getPhone, removePhone, sendPhoneCode } from '../../client.ts';
import { showPhone, showPhoneRemoved } from './live.ts';

/** Whether this site sends text messages; false until that is known. */
export const useSmsOffered = (): boolean => useRead(getPhone, {}).data?.sms_offered ?? false;

/** Where text messages go: confirming the number by a code, and removing it. */
export function PhonePart() {
  const { data, error, refetch } = useRead(getPhone, {});
  if (!data) {
    if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    return (
      <div aria-busy className="mt-4">
        <Skeleton className="h-16" />
      </div>
    );
  }
  if (!data.sms_offered || data.phone === null) return null;
  return (
    <div className="mt-6 flex flex-col gap-4 border-t border-line pt-4">
      {data.confirmed
        ? <Confirmed phone={data.phone} />
        : <Unconfirmed phone={data.phone} isSent={data.code_sent} />}
    </div>
  );
}

function Confirmed({ phone }: { readonly phone: string }) {
  const { t } = useTranslation('accounts');
  return (
    <>
      <p>{t('phone.confirmed', { phone })}</p>
      <p className="text-sm text-muted">{t('phone.stop')}</p>
      <Removal />
    </>
  );
}

function Unconfirmed({ phone, isSent }: { readonly phone: string; readonly isSent: boolean }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const send = useAction(sendPhoneCode, showPhone);
  return (
    <>
      <p>{isSent ? t('phone.sent', { phone }) : t('phone.unconfirmed', { phone })}</p>
      {isSent ? <CodeForm /> : null}
      <FormError problem={send.problem} />
      <div>
        <Button
          busy={send.busy}
          tone={isSent ? 'secondary' : 'primary'}
          onClick={() => void send.run({}).then((done) => done && toast(t('phone.sentToast'), 'success'))}
        >
          {t(isSent ? 'phone.sendAgain' : 'phone.send')}
        </Button>
      </div>
      {isSent ? <p className="text-sm text-muted">{t('phone.late')}</p> : null}
      <Removal />
    </>
  );
}

function CodeForm() {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(confirmPhone, {
    shape: async () => (await import('../../contract/phones.ts')).confirmPhone,
    read: (fields) => ({ code: textOf(fields, 'code').trim() }),
    fieldOf: { phone_code_wrong: 'code' },
    applied: showPhone,
    onDone: () => {
      toast(t('phone.done'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        {...form.field('code')}
        label={t('phone.code')}
        required
        inputMode="numeric"
        maxLength={20}
        autoComplete="one-time-code"
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('phone.confirm')}</Button>
      </div>
    </form>
  );
}

function Removal() {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const remove = useAction(removePhone, showPhoneRemoved);
  return (
    <>
      <FormError problem={remove.problem} />
      <div>
        <Button
          busy={remove.busy}
          onClick={() => void remove.run({}).then((done) => done && toast(t('phone.removed'), 'success'))}
        >
          {t('phone.remove')}
        </Button>
      </div>
    </>
  );
}

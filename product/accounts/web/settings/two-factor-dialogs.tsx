import type { OutputOf } from '#platform/contract/call.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { PasswordField, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { encode } from 'uqr';
import { beginTwoFactor, confirmTwoFactor, endTwoFactor, renewRecoveryCodes } from '../../client.ts';
import { CodeField } from '../sign-in/fields/code-field.tsx';
import { OwnUsername } from '../sign-in/fields/own-username.tsx';
import { showTwoFactor } from './live.ts';

interface DialogProps {
  readonly onClose: () => void;
}
const CODE_FIELD = { code_wrong: 'code' } as const;
const PASSWORD_FIELD = { bad_credentials: 'password' } as const;

/** Asks for the password and the app's code, then shows the recovery codes. */
export function TurnOn({ onClose }: DialogProps) {
  const { t } = useTranslation('accounts');
  const [begun, setBegun] = useState<OutputOf<typeof beginTwoFactor> | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog title={t('twoFactor.title')} onClose={onClose}>
      {begun ? <ConfirmForm begun={begun} onDone={setCodes} /> : <BeginForm onDone={setBegun} />}
    </Dialog>
  );
}

function BeginForm({ onDone }: { readonly onDone: (begun: OutputOf<typeof beginTwoFactor>) => void }) {
  const { t } = useTranslation('accounts');
  const form = useForm(beginTwoFactor, {
    shape: async () => (await import('../../contract/two-factor.ts')).beginTwoFactor,
    read: (fields) => ({ password: textOf(fields, 'password') }),
    fieldOf: PASSWORD_FIELD,
    onDone,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-muted">{t('twoFactor.off')}</p>
      <OwnUsername />
      <PasswordField
        {...form.field('password')}
        label={t('twoFactor.password')}
        required
        autoComplete="current-password"
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('twoFactor.next')}</Button>
      </div>
    </form>
  );
}

interface ConfirmFormProps {
  readonly begun: OutputOf<typeof beginTwoFactor>;
  readonly onDone: (codes: readonly string[]) => void;
}

function ConfirmForm({ begun, onDone }: ConfirmFormProps) {
  const { t } = useTranslation('accounts');
  const form = useForm(confirmTwoFactor, {
    shape: async () => (await import('../../contract/two-factor.ts')).confirmTwoFactor,
    read: (fields) => ({ code: textOf(fields, 'code') }),
    fieldOf: CODE_FIELD,
    applied: showTwoFactor,
    onDone: ({ recovery_codes: codes }) => onDone(codes),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p>{t('twoFactor.scan')}</p>
      <QrCode text={begun.uri} name={t('twoFactor.qr')} />
      <p className="text-sm">
        <span className="text-muted">{t('twoFactor.key')}</span>{' '}
        <code className="break-all select-all">{begun.secret}</code>
      </p>
      <TextField
        {...form.field('code')}
        label={t('twoFactor.code')}
        required
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={32}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('twoFactor.confirm')}</Button>
      </div>
    </form>
  );
}

/** Dark on white in every theme, because cameras read it that way. */
function QrCode({ text, name }: { readonly text: string; readonly name: string }) {
  const { size, data } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('');
  return (
    <svg
      role="img"
      aria-label={name}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 self-center rounded-control bg-white"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

function RecoveryCodes({ codes, onClose }: DialogProps & { readonly codes: readonly string[] }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const copy = () =>
    void navigator.clipboard.writeText(codes.join('\n'))
      .then(() => toast(t('twoFactor.copied'), 'success'), () => undefined);
  return (
    <Dialog
      title={t('twoFactor.codes')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={copy}>{t('twoFactor.copy')}</Button>
          <Button tone="primary" onClick={onClose}>{t('twoFactor.done')}</Button>
        </>
      }
    >
      <p className="mb-4 text-muted">{t('twoFactor.codesLead')}</p>
      <ul aria-label={t('twoFactor.codes')} className="grid gap-2 font-mono sm:grid-cols-2">
        {codes.map((code) => <li key={code} className="select-all">{code}</li>)}
      </ul>
    </Dialog>
  );
}

/** Replaces the recovery codes by new ones. */
export function RenewCodes({ onClose }: DialogProps) {
  const { t } = useTranslation('accounts');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const form = useForm(renewRecoveryCodes, {
    shape: async () => (await import('../../contract/two-factor.ts')).renewRecoveryCodes,
    read: (fields) => ({ code: textOf(fields, 'code') }),
    fieldOf: CODE_FIELD,
    applied: showTwoFactor,
    onDone: ({ recovery_codes: made }) => setCodes(made),
  });
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog title={t('twoFactor.renew')} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-muted">{t('twoFactor.renewLead')}</p>
        <CodeField {...form.field('code')} label={t('twoFactor.codeOrRecovery')} />
        <FormError problem={form.problem} />
        <div>
          <Button type="submit" tone="primary" busy={form.busy}>{t('twoFactor.renew')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Asks for the password and a code. */
export function TurnOff({ onClose }: DialogProps) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(endTwoFactor, {
    shape: async () => (await import('../../contract/two-factor.ts')).endTwoFactor,
    read: (fields) => ({ password: textOf(fields, 'password'), code: textOf(fields, 'code') }),
    fieldOf: { ...CODE_FIELD, ...PASSWORD_FIELD },
    applied: showTwoFactor,
    onDone: () => {
      toast(t('twoFactor.turnedOff'), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t('twoFactor.turnOff')} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-muted">{t('twoFactor.offLead')}</p>
        <OwnUsername />
        <PasswordField
          {...form.field('password')}
          label={t('twoFactor.password')}
          required
          autoComplete="current-password"
        />
        <CodeField {...form.field('code')} label={t('twoFactor.codeOrRecovery')} />
        <FormError problem={form.problem} />
        <div>
          <Button type="submit" tone="danger" busy={form.busy}>{t('twoFactor.turnOff')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

import type { OutputOf } from '#platform/contract/call.ts';
import { useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReasonField, reasonOf } from '#product/billing/web/admin/reason.tsx';
import { changePushProvider, getPushProvider, removePushProvider } from '#product/notices/client.ts';
import { MAX_API_KEY_LENGTH, MAX_APP_ID_LENGTH } from '#product/notices/rules/push-provider.ts';
import { MAX_SCRIPT_LENGTH } from '#product/site/rules.ts';
import { useState } from 'react';
import { linesTyped } from './typed.ts';

type Provider = OutputOf<typeof getPushProvider>['provider'];

/** Who sends the operator's push messages: a provider, or the site itself. */
export function SitePushForm({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation('screens');
  const { t: ofBilling } = useTranslation('billing');
  const cache = useCache();
  const toast = useToast();
  const [isRemoving, setRemoving] = useState(false);
  const saved = async () => {
    await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === getPushProvider.name });
    toast(ofBilling('web.operator.saved'), 'success');
  };
  const form = useForm(changePushProvider, {
    shape: async () => (await import('#product/notices/contract/push-provider.ts')).changePushProvider,
    read: (fields) => {
      const key = textOf(fields, 'api_key').trim();
      const typed = (name: string): string => textOf(fields, name).trim();
      return {
        script: typed('script'),
        worker: typed('worker'),
        origins: linesTyped(fields, 'origins'),
        api_url: typed('api_url'),
        app_id: typed('app_id'),
        ...(key === '' ? {} : { api_key: key }),
        reason: reasonOf(fields),
      };
    },
    words: {
      script: t('sitePush.badScript'),
      worker: t('sitePush.badScript'),
      origins: t('siteRules.badOrigins'),
      api_url: t('sitePush.badApi'),
      app_id: t('sitePush.badApp'),
      api_key: t('sitePush.badKey'),
    },
    fieldOf: { api_address_invalid: 'api_url', api_key_missing: 'api_key' },
    onDone: saved,
  });
  return (
    <>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t(provider ? 'sitePush.byProvider' : 'sitePush.byUs')}</p>
        <ProviderFields form={form} provider={provider} />
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={form.busy}>{t('sitePush.save')}</Button>
          {provider === null
            ? null
            : <Button tone="quiet" onClick={() => setRemoving(true)}>{t('sitePush.remove')}</Button>}
        </div>
      </form>
      {isRemoving ? <Removal onDone={saved} onClose={() => setRemoving(false)} /> : null}
    </>
  );
}

function ProviderFields({ form, provider }: {
  readonly form: Pick<Form, 'field'>;
  readonly provider: Provider;
}) {
  const { t } = useTranslation('screens');
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        {...form.field('script')}
        label={t('sitePush.script')}
        hint={t('sitePush.scriptHint')}
        required
        maxLength={MAX_SCRIPT_LENGTH}
        autoComplete="off"
        spellCheck={false}
        defaultValue={provider?.script ?? ''}
      />
      <TextField
        {...form.field('worker')}
        label={t('sitePush.worker')}
        hint={t('sitePush.workerHint')}
        required
        maxLength={MAX_SCRIPT_LENGTH}
        autoComplete="off"
        spellCheck={false}
        defaultValue={provider?.worker ?? ''}
      />
      <TextArea
        {...form.field('origins')}
        label={t('sitePush.origins')}
        hint={t('sitePush.originsHint')}
        defaultValue={provider?.origins.join('\n') ?? ''}
      />
      <TextField
        {...form.field('api_url')}
        label={t('sitePush.api')}
        hint={t('sitePush.apiHint')}
        required
        maxLength={MAX_SCRIPT_LENGTH}
        autoComplete="off"
        spellCheck={false}
        defaultValue={provider?.api_url ?? ''}
      />
      <TextField
        {...form.field('app_id')}
        label={t('sitePush.app')}
        required
        autoComplete="off"
        maxLength={MAX_APP_ID_LENGTH}
        spellCheck={false}
        defaultValue={provider?.app_id ?? ''}
      />
      <TextField
        {...form.field('api_key')}
        label={t('sitePush.key')}
        type="password"
        hint={t(provider ? 'sitePush.keyStored' : 'sitePush.keyHint')}
        maxLength={MAX_API_KEY_LENGTH}
        autoComplete="off"
      />
    </div>
  );
}

/** Makes the site send push messages itself again, once a reason was given. */
function Removal({ onDone, onClose }: {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('screens');
  const { t: ofBilling } = useTranslation('billing');
  const form = useForm(removePushProvider, {
    shape: async () => (await import('#product/notices/contract/push-provider.ts')).removePushProvider,
    read: (fields) => ({ reason: reasonOf(fields) }),
    onDone: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Dialog
      title={t('sitePush.removeTitle')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ofBilling('web.keep')}</Button>
          <Button type="submit" form="remove-push-provider" tone="danger" busy={form.busy}>
            {t('sitePush.remove')}
          </Button>
        </>
      }
    >
      <form id="remove-push-provider" {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('sitePush.removeText')}</p>
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}

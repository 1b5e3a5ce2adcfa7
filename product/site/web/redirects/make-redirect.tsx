import { queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { listRedirectKeys, makeRedirectKey } from '../../client.ts';
import {
  MAX_NOTE_LENGTH,
  MAX_REDIRECT_DAYS,
  MAX_REDIRECT_USES,
  MAX_TARGET_LENGTH,
  REDIRECT_DAYS,
} from '../../rules/redirects.ts';

/** Makes a redirect key, and shows its address once. */
export function MakeRedirect() {
  const { t } = useTranslation('site');
  const cache = useCache();
  const [made, setMade] = useState<string | null>(null);
  const form = useForm(makeRedirectKey, {
    shape: async () => (await import('../../contract/redirects.ts')).makeRedirectKey,
    read: (fields) => {
      const most = textOf(fields, 'max_uses').trim();
      return {
        target: textOf(fields, 'target').trim(),
        note: textOf(fields, 'note').trim(),
        days: Number(textOf(fields, 'days')),
        max_uses: most === '' ? null : Number(most),
      };
    },
    fieldOf: { redirect_target_refused: 'target' },
    onDone: async ({ url }) => {
      setMade(url);
      await cache.invalidateQueries({ queryKey: queryKeyOf(listRedirectKeys) });
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('target')}
          label={t('redirects.target')}
          hint={t('redirects.targetHint')}
          required
          maxLength={MAX_TARGET_LENGTH}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextField
          {...form.field('note')}
          label={t('redirects.note')}
          hint={t('redirects.noteHint')}
          maxLength={MAX_NOTE_LENGTH}
          autoComplete="off"
        />
        <TextField
          {...form.field('days')}
          label={t('redirects.days')}
          type="number"
          required
          min={1}
          max={MAX_REDIRECT_DAYS}
          defaultValue={REDIRECT_DAYS}
        />
        <TextField
          {...form.field('max_uses')}
          label={t('redirects.maxUses')}
          hint={t('redirects.maxUsesHint')}
          type="number"
          min={1}
          max={MAX_REDIRECT_USES}
        />
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('redirects.makeAction')}</Button>
      </div>
      <div role="status">{made === null ? null : <Made url={made} />}</div>
    </form>
  );
}

function Made({ url }: { readonly url: string }) {
  const { t } = useTranslation('site');
  const toast = useToast();
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => toast(t('redirects.copied'), 'success'),
      () => toast(t('redirects.copyFailed'), 'error'),
    );
  return (
    <div className="flex flex-col gap-3 rounded-card border border-line bg-raised p-4">
      <p className="text-sm">{t('redirects.made')}</p>
      <code className="rounded-control bg-surface px-3 py-2.5 text-sm break-all">{url}</code>
      <div>
        <Button icon={<Copy size={20} aria-hidden />} onClick={() => void copy()}>
          {t('redirects.copy')}
        </Button>
      </div>
    </div>
  );
}

import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextField } from '#platform/ui/controls/fields.tsx';
import {
  DISCREET,
  EXIT_ADDRESS,
  EXIT_KEY,
  EXIT_KEYS,
  EXIT_TO,
  leaveNow,
} from '#platform/ui/faults/quick-exit.ts';
import type { FormErrors } from '#platform/ui/forms/check.ts';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useState } from 'react';

/** Longest URL to leave to. */
const MAX_ADDRESS = 300;

interface Stored {
  readonly key: string;
  readonly to: string;
  readonly isDiscreet: boolean;
}

const stored = (): Stored => ({
  key: localStorage.getItem(EXIT_KEY) ?? EXIT_KEYS[0],
  to: localStorage.getItem(EXIT_TO) ?? '',
  isDiscreet: localStorage.getItem(DISCREET) !== null,
});

const keep = (
  name: string,
  value: string,
): void => (value === '' ? localStorage.removeItem(name) : localStorage.setItem(name, value));

/** Where a quick exit leads, and what tab titles say. Stored and used only in this browser. */
export function QuickExitSection() {
  const [known, setKnown] = useState<Stored | null>(null);
  useEffect(() => setKnown(stored()), []);
  return known === null ? null : <QuickExitForm known={known} />;
}

function QuickExitForm({ known }: { readonly known: Stored }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useFields<Stored>({
    read: (fields) => ({
      key: textOf(fields, 'exit_key'),
      to: textOf(fields, 'exit_to').trim(),
      isDiscreet: fields.get('discreet') !== null,
    }),
    check: (
      { to },
    ): FormErrors => (to === '' || EXIT_ADDRESS.test(to) ? {} : { exit_to: t('settings.exit.badAddress') }),
    onSubmit: ({ key, to, isDiscreet }) => {
      keep(EXIT_KEY, key === EXIT_KEYS[0] ? '' : key);
      keep(EXIT_TO, to);
      const wasDiscreet = stored().isDiscreet;
      keep(DISCREET, isDiscreet ? '1' : '');
      window.dispatchEvent(new Event(DISCREET));
      toast(t('settings.saved'), 'success');
      // A hidden title returns only with a reload.
      if (wasDiscreet && !isDiscreet) window.location.reload();
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('settings.exit.lead')}</p>
      <Select
        {...form.field('exit_key')}
        label={t('settings.exit.key')}
        defaultValue={known.key}
        options={EXIT_KEYS.map((value) => ({
          value,
          text: value === 'Escape'
            ? t('settings.exit.twice')
            : value === 'none'
            ? t('settings.exit.off')
            : value,
        }))}
      />
      <TextField
        {...form.field('exit_to')}
        label={t('settings.exit.to')}
        hint={t('settings.exit.toHint')}
        maxLength={MAX_ADDRESS}
        autoComplete="off"
        spellCheck={false}
        defaultValue={known.to}
      />
      <Checkbox
        {...form.field('discreet')}
        label={t('settings.exit.discreet')}
        defaultChecked={known.isDiscreet}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.busy}>{t('settings.save')}</Button>
        <Button tone="quiet" onClick={leaveNow}>{t('settings.exit.now')}</Button>
      </div>
    </form>
  );
}

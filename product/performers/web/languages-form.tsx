import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { Select } from '#platform/ui/controls/fields.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { updateProfile } from '#product/accounts/client.ts';
import { MAX_LANGUAGES } from '#product/accounts/rules.ts';
import { useReloadMe } from '#product/accounts/web/me.ts';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';

/** Languages to choose from, ISO 639-1: those that performers speak on such sites. */
const SPOKEN = 'ar bg cs da de el en es et fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv '
  + 'th tl tr uk vi zh';

interface LanguagesFormProps {
  readonly languages: readonly string[];
  readonly onDraft: (languages: readonly string[]) => void;
}

/** The languages a performer speaks, in the order a tile shows them. */
export function LanguagesForm({ languages, onDraft }: LanguagesFormProps) {
  const { t, i18n } = useTranslation('performers');
  const toast = useToast();
  const reloadMe = useReloadMe();
  const [spoken, setSpoken] = useState<readonly string[]>(languages);
  const [picked, setPicked] = useState('');
  const form = useForm(updateProfile, {
    shape: async () => (await import('#product/accounts/contract.ts')).updateProfile,
    read: () => ({ languages: [...spoken] }),
    onDone: async () => {
      await reloadMe();
      toast(t('saved'), 'success');
    },
  });
  const names = new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' });
  const nameOf = (code: string): string => names.of(code) ?? code;
  const options = SPOKEN.split(' ').filter((code) => !spoken.includes(code))
    .map((value) => ({ value, text: nameOf(value) }))
    .sort((a, b) => a.text.localeCompare(b.text, i18n.language));
  const choose = (next: readonly string[]) => {
    setSpoken(next);
    setPicked('');
    onDraft(next);
  };
  return (
    <form {...form.props} className="flex flex-col gap-4">
      {spoken.length === 0
        ? <p className="text-sm text-muted">{t('languages.empty')}</p>
        : (
          <ul className="flex flex-wrap gap-2">
            {spoken.map((code) => (
              <li
                key={code}
                className="inline-flex items-center rounded-full border border-line bg-raised pl-4"
              >
                {nameOf(code)}
                <IconButton
                  label={t('languages.remove', { language: nameOf(code) })}
                  onClick={() => choose(spoken.filter((text) => text !== code))}
                >
                  <X size={18} aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
      {spoken.length >= MAX_LANGUAGES ? null : (
        <div className="flex flex-wrap items-end gap-3">
          <div className="grow basis-48">
            <Select
              {...form.field('languages')}
              label={t('languages.add')}
              options={options}
              value={picked}
              placeholder={t('languages.choose')}
              onChange={({ target }) => setPicked(target.value)}
            />
          </div>
          <Button
            disabled={picked === ''}
            icon={<Plus size={18} aria-hidden />}
            onClick={() => choose([...spoken, picked])}
          >
            {t('languages.addIt')}
          </Button>
        </div>
      )}
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('languages.save')}</Button>
      </div>
    </form>
  );
}

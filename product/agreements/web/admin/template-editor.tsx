import type { OutputOf } from '#platform/contract/call.ts';
import { useCache, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { DEFAULT_LOCALE, LOCALE_NAMES, LOCALES, type Locale } from '#product/site/rules.ts';
import { useRef, useState } from 'react';
import { getTemplateText, saveTemplate } from '../../client.ts';
import { MAX_DOCUMENT_LENGTH, MAX_TITLE_LENGTH, PLACEHOLDERS, type DocumentKind } from '../../rules.ts';
import { rereadAll } from '../live.ts';

interface Typed {
  readonly title: string;
  readonly text: string;
}

/** Edits the draft of a kind in one language after another; what was typed in each stays. */
export function TemplateEditor({ kind, onClose }: {
  readonly kind: DocumentKind;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('agreements');
  const [language, setLanguage] = useState<Locale>(DEFAULT_LOCALE);
  const read = useRead(getTemplateText, { kind, language });
  const typed = useRef(new Map<Locale, Typed>());
  return (
    <Dialog size="large" title={t('admin.actionOf.edit', { kind: t(`kinds.${kind}`) })} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <Select
          label={t('admin.language')}
          value={language}
          onChange={({ target }) =>
            setLanguage(target.value as Locale)}
          options={LOCALES.map((code) => ({ value: code, text: LOCALE_NAMES[code] }))}
        />
        <Loaded read={read} height="h-96">
          {(known) => (
            <TextForm
              key={language}
              kind={kind}
              language={language}
              known={known}
              typed={typed.current.get(language) ?? null}
              onType={(now) => typed.current.set(language, now)}
            />
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

function TextForm({ kind, language, known, typed, onType }: {
  readonly kind: DocumentKind;
  readonly language: Locale;
  readonly known: OutputOf<typeof getTemplateText>;
  /** What was typed in this language before another was chosen. */
  readonly typed: Typed | null;
  readonly onType: (now: Typed) => void;
}) {
  const { t } = useTranslation('agreements');
  const cache = useCache();
  const toast = useToast();
  const [shown, setShown] = useState({ ...known, ...typed, saves: 0 });
  const textsIn = (fields: FormData): Typed => ({
    title: textOf(fields, 'title').trim(),
    text: textOf(fields, 'text').trim(),
  });
  const form = useForm(saveTemplate, {
    shape: async () => (await import('../../contract/admin.ts')).saveTemplate,
    read: (fields) => ({ kind, language, ...textsIn(fields) }),
    fieldOf: { placeholder_unknown: 'text', text_empty: 'text' },
    onDone: async () => {
      // The fields are new ones, whose text counts as saved.
      setShown(({ saves, ...before }) => ({ ...before, ...textsIn(form.fields()), saves: saves + 1 }));
      await rereadAll(cache);
      toast(t('admin.saved'), 'success');
    },
  });
  const names = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  return (
    <form
      {...form.props}
      onInput={() => onType(textsIn(form.fields()))}
      className="flex flex-col gap-4"
    >
      {known.version !== null && !known.is_draft
        ? <p className="text-sm text-muted">{t('admin.fromVersion', { version: known.version })}</p>
        : null}
      <div key={shown.saves} className="flex flex-col gap-4">
        <TextField
          {...form.field('title')}
          label={t('admin.templateTitle')}
          required
          maxLength={MAX_TITLE_LENGTH}
          autoComplete="off"
          lang={language}
          defaultValue={shown.title}
        />
        <TextArea
          {...form.field('text')}
          label={t('admin.templateText')}
          hint={t('admin.placeholders', { names })}
          required
          rows={16}
          maxLength={MAX_DOCUMENT_LENGTH}
          lang={language}
          defaultValue={shown.text}
        />
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('admin.saveDraft')}</Button>
      </div>
    </form>
  );
}

import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Search } from 'lucide-react';

/** Limit of the call, longer than any real search. */
const MAX_WORDS = 120;

interface WordsFormProps {
  readonly words: string;
  readonly onSubmit: (words: string) => void;
}

/** The words of a search; a word after a minus is left out. */
export function WordsForm({ words, onSubmit }: WordsFormProps) {
  const { t } = useTranslation('browse');
  const form = useFields({
    read: (fields) => textOf(fields, 'words').trim(),
    onSubmit: async (typed) => {
      onSubmit(typed);
      return null;
    },
  });
  return (
    <form
      {...form.props}
      role="search"
      aria-label={t('search.form')}
      className="flex min-w-0 grow items-end gap-2 max-sm:w-full"
    >
      <div className="min-w-0 grow">
        <TextField
          key={words}
          {...form.field('words')}
          type="search"
          label={t('search.words')}
          hint={t('search.hint')}
          defaultValue={words}
          maxLength={MAX_WORDS}
          enterKeyHint="search"
          autoComplete="off"
        />
      </div>
      <Button type="submit" icon={<Search size={20} aria-hidden />}>{t('search.submit')}</Button>
    </form>
  );
}

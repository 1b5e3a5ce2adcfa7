import { queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getOwnBroadcast, setDetails, tagInvalid } from '../client.ts';
import { MAX_TITLE_LENGTH } from '../rules.ts';

interface DetailsFormProps {
  readonly title: string;
  readonly tags: readonly string[];
  readonly onSaved: (details: { title: string; tags: string[] }) => void;
  /** Called with the current input at every change. */
  readonly onDraft?: (details: { title: string; tags: string[] }) => void;
}

/** Topic and tags as typed; tags are separated by spaces, commas or hash signs. */
const detailsIn = (fields: FormData): { title: string; tags: string[] } => ({
  title: textOf(fields, 'title'),
  tags: textOf(fields, 'tags').split(/[\s,#]+/u).filter((tag) => tag !== ''),
});

/** Form for the topic and tags of the room. */
export function DetailsForm({ title, tags, onSaved, onDraft }: DetailsFormProps) {
  const { t } = useTranslation('broadcast');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(setDetails, {
    shape: async () => (await import('../contract.ts')).setDetails,
    read: detailsIn,
    fieldOf: { [tagInvalid.code]: 'tags' },
    onDone: async (saved) => {
      onSaved({ title: saved.title, tags: saved.tags });
      toast(t('details.saved'), 'success');
      await cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
    },
  });
  return (
    <form
      {...form.props}
      onChange={() => onDraft?.(detailsIn(form.fields()))}
      className="flex flex-col gap-4"
    >
      <TextField
        label={t('details.topic')}
        {...form.field('title')}
        defaultValue={title}
        maxLength={MAX_TITLE_LENGTH}
        hint={t('details.topicHint')}
        autoComplete="off"
      />
      <TextField
        label={t('details.tags')}
        {...form.field('tags')}
        defaultValue={tags.join(' ')}
        hint={t('details.tagsHint')}
        autoComplete="off"
        autoCapitalize="none"
      />
      <FormError problem={form.problem} />
      <Button type="submit" busy={form.busy}>
        {t('details.save')}
      </Button>
    </form>
  );
}

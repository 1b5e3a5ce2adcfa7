import { Select } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { POST_AUDIENCES, type PostAudience } from '../../rules/posts.ts';

/** What a field of a form holds, as an audience; what is none is refused by the shape of the call. */
export const audienceIn = (fields: FormData): PostAudience => fields.get('audience') as PostAudience;

/** Whom a post is for. */
export function AudienceField({ field, value }: {
  readonly field: FormField; readonly value: PostAudience;
}) {
  const { t } = useTranslation('fanclubs');
  return (
    <Select {...field} label={t('posts.audienceLabel')} defaultValue={value}
      options={POST_AUDIENCES.map((one) => ({ value: one, text: t(`posts.audience.${one}`) }))} />
  );
}

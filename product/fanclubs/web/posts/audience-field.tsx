import { Select } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { POST_AUDIENCES, type PostAudience } from '../../rules/posts.ts';

/** The value of a form field as an audience; the call's shape refuses any other value. */
export const audienceIn = (fields: FormData): PostAudience => fields.get('audience') as PostAudience;

/** The audience of a post. */
export function AudienceField({ field, value }: {
  readonly field: FormField;
  readonly value: PostAudience;
}) {
  const { t } = useTranslation('fanclubs');
  return (
    <Select
      {...field}
      label={t('posts.audienceLabel')}
      defaultValue={value}
      options={POST_AUDIENCES.map((item) => ({ value: item, text: t(`posts.audience.${item}`) }))}
    />
  );
}

import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { editPost, postBlocked, postEmpty } from '../../client.ts';
import type { PostView } from '../../contract/posts.ts';
import { MAX_POST_LENGTH } from '../../rules/posts.ts';
import { showPosts } from '../live.ts';
import { AudienceField, audienceIn } from './audience-field.tsx';

/** Changes a post's text and audience. */
export function EditForm({ post, onDone }: { post: PostView; onDone: () => void }) {
  const { t, i18n } = useTranslation('fanclubs');
  const toast = useToast();
  const form = useForm(editPost, {
    shape: async () => (await import('../../contract/posts.ts')).editPost,
    read: (fields) => ({ id: post.id, body: textOf(fields, 'body'), audience: audienceIn(fields) }),
    fieldOf: { [postEmpty.code]: 'body', [postBlocked.code]: 'body' },
    applied: showPosts,
    onDone: () => {
      toast(t('posts.saved'), 'success');
      onDone();
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextArea
        {...form.field('body')}
        label={t('posts.body')}
        required
        rows={6}
        maxLength={MAX_POST_LENGTH}
        hint={t('posts.bodyHint', { max: formatCount(MAX_POST_LENGTH, i18n.language) })}
        defaultValue={post.body ?? ''}
      />
      <AudienceField field={form.field('audience')} value={post.audience} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('posts.save')}</Button>
      </div>
    </form>
  );
}

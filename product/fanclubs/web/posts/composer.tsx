import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { FileButton, formOf } from '#platform/ui/controls/file-button.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { choiceFault, IMAGE_TYPES } from '#product/accounts/rules/avatar-choice.ts';
import { ImageUp, X } from 'lucide-react';
import { useState } from 'react';
import { postBlocked, postEmpty, publishPost, uploadPostPicture } from '../../client.ts';
import { MAX_POST_LENGTH } from '../../rules/posts.ts';
import { showPosts } from '../live.ts';
import { AudienceField, audienceIn } from './audience-field.tsx';

/** The form to write posts, one after another. */
export default function Composer({ isOpen }: { readonly isOpen: boolean }) {
  const { t } = useTranslation('fanclubs');
  const [round, setRound] = useState(0);
  if (!isOpen) return <p className="text-sm text-muted">{t('posts.closed')}</p>;
  return <PostForm key={round} onDone={() => setRound(round + 1)} />;
}

function PostForm({ onDone }: { onDone: () => void }) {
  const { t, i18n } = useTranslation('fanclubs');
  const toast = useToast();
  const [file, setFile] = useState<File | null>(null);
  const upload = useAction(uploadPostPicture, showPosts);
  const form = useForm(publishPost, {
    shape: async () => (await import('../../contract/posts.ts')).publishPost,
    read: (fields) => ({ body: textOf(fields, 'body'), audience: audienceIn(fields) }),
    fieldOf: { [postEmpty.code]: 'body', [postBlocked.code]: 'body' },
    applied: showPosts,
    onDone: async ({ post: { id } }) => {
      const isWhole = !file || await upload.run({ id }, { form: formOf(file) }) !== null;
      toast(t(isWhole ? 'posts.published' : 'posts.pictureFailed'), isWhole ? 'success' : 'error');
      onDone();
    },
  });
  return (
    <form {...form.props} aria-label={t('posts.write')} className="flex flex-col gap-4">
      <TextArea
        {...form.field('body')}
        label={t('posts.body')}
        required
        rows={4}
        maxLength={MAX_POST_LENGTH}
        hint={t('posts.bodyHint', { max: formatCount(MAX_POST_LENGTH, i18n.language) })}
      />
      <AudienceField field={form.field('audience')} value="supporter" />
      <PictureChoice file={file} onChoose={setFile} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('posts.publish')}</Button>
      </div>
    </form>
  );
}

/** The picture that is added once the post is published. */
function PictureChoice({ file, onChoose }: {
  readonly file: File | null;
  readonly onChoose: (file: File | null) => void;
}) {
  const { t } = useTranslation('fanclubs');
  const [fault, setFault] = useState<ReturnType<typeof choiceFault>>(null);
  const choose = (files: readonly File[]) => {
    const wrong = choiceFault(files);
    setFault(wrong);
    if (wrong === null) onChoose(files[0] ?? null);
  };
  return (
    <div className="flex flex-col gap-2">
      {fault === null
        ? null
        : <p role="alert" className="text-sm text-danger-text">{t(`accounts:avatar.faults.${fault}`)}</p>}
      <div className="flex flex-wrap items-center gap-3">
        <FileButton accept={IMAGE_TYPES} icon={<ImageUp size={20} aria-hidden />} onChoose={choose}>
          {t(file ? 'posts.changePicture' : 'posts.addPicture')}
        </FileButton>
        {file
          ? (
            <>
              <span className="min-w-0 text-sm break-all">{t('posts.chosen', { file: file.name })}</span>
              <IconButton label={t('posts.unchoose')} onClick={() => onChoose(null)}>
                <X size={18} aria-hidden />
              </IconButton>
            </>
          )
          : null}
      </div>
    </div>
  );
}

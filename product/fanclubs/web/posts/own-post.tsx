import type { Problem } from '#platform/contract/client.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FileButton, formOf } from '#platform/ui/controls/file-button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { choiceFault, IMAGE_TYPES } from '#product/accounts/rules/avatar-choice.ts';
import { ImageUp, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deletePost, pinPost, removePostPicture, uploadPostPicture } from '../../client.ts';
import type { PostView } from '../../contract/posts.ts';
import { showPosts } from '../live.ts';
import { EditForm } from './edit-form.tsx';

/** A performer's actions on a post of theirs. */
export default function OwnPost({ post }: { post: PostView }) {
  const { t } = useTranslation('fanclubs');
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const pin = useAction(pinPost, showPosts);
  const close = () => setOpen(null);
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex flex-wrap gap-2">
        <Button tone="quiet" icon={<Pencil size={18} aria-hidden />} onClick={() => setOpen('edit')}>
          {t('posts.edit')}
        </Button>
        <PictureButtons post={post} />
        <Button
          tone="quiet"
          busy={pin.busy}
          icon={post.is_pinned ? <PinOff size={18} aria-hidden /> : <Pin size={18} aria-hidden />}
          onClick={() => void pin.run({ id: post.id, pinned: !post.is_pinned })}
        >
          {t(post.is_pinned ? 'posts.unpin' : 'posts.pin')}
        </Button>
        <Button tone="quiet" icon={<Trash2 size={18} aria-hidden />} onClick={() => setOpen('remove')}>
          {t('posts.remove')}
        </Button>
      </div>
      <FormError problem={pin.problem} />
      {open === 'edit'
        ? (
          <Dialog title={t('posts.editTitle')} onClose={close} size="large">
            <EditForm post={post} onDone={close} />
          </Dialog>
        )
        : null}
      {open === 'remove' ? <RemoveDialog id={post.id} onClose={close} /> : null}
    </div>
  );
}

/** Adds, replaces or removes the picture of a post. */
function PictureButtons({ post: { id, has_picture: hasPicture } }: { post: PostView }) {
  const { t } = useTranslation('fanclubs');
  const upload = useAction(uploadPostPicture, showPosts);
  const remove = useAction(removePostPicture, showPosts);
  const [fault, setFault] = useState<ReturnType<typeof choiceFault>>(null);
  const add = async (files: readonly File[]) => {
    const wrong = choiceFault(files);
    upload.reset();
    setFault(wrong);
    const [file] = files;
    if (wrong === null && file && !upload.busy) await upload.run({ id }, { form: formOf(file) });
  };
  const problem: Problem | null = upload.problem ?? remove.problem;
  return (
    <>
      <FileButton
        accept={IMAGE_TYPES}
        busy={upload.busy}
        icon={<ImageUp size={18} aria-hidden />}
        onChoose={(files) => void add(files)}
      >
        {t(hasPicture ? 'posts.changePicture' : 'posts.addPicture')}
      </FileButton>
      {hasPicture
        ? (
          <Button tone="quiet" busy={remove.busy} onClick={() => void remove.run({ id })}>
            {t('posts.removePicture')}
          </Button>
        )
        : null}
      {fault === null ? null : (
        <p role="alert" className="basis-full text-sm text-danger-text">
          {t(`accounts:avatar.faults.${fault}`)}
        </p>
      )}
      {problem
        ? (
          <div className="basis-full">
            <FormError problem={problem} />
          </div>
        )
        : null}
    </>
  );
}

/** Asks once: a removed post cannot be restored. */
function RemoveDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('fanclubs');
  const toast = useToast();
  const { run, busy, problem } = useAction(deletePost, showPosts);
  const remove = async () => {
    if (!await run({ id })) return;
    toast(t('posts.removed'), 'success');
    onClose();
  };
  return (
    <Dialog
      title={t('posts.removeTitle')}
      onClose={onClose}
      role="alertdialog"
      actions={
        <>
          <Button onClick={onClose}>{t('posts.keep')}</Button>
          <Button tone="danger" busy={busy} onClick={() => void remove()}>{t('posts.removeNow')}</Button>
        </>
      }
    >
      <p>{t('posts.removeText')}</p>
      <FormError problem={problem} />
    </Dialog>
  );
}

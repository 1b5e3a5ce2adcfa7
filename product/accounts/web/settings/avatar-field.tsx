import type { Problem } from '#platform/contract/client.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FileButton, formOf } from '#platform/ui/controls/file-button.tsx';
import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ImageUp, Trash2 } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { removeAvatar, uploadAvatar } from '../../client.ts';
import { choiceFault, IMAGE_TYPES } from '../../rules/avatar-choice.ts';
import { AVATAR_PX, smallAvatar } from '../../rules/avatar.ts';
import { useReloadMe, type Me } from '../me.ts';

/** Refusals whose text needs no explanation. */
const PLAIN = ['picture_not_image', 'picture_type'];

/** The caller's avatar: shown, chosen, uploaded at once, and removed. */
export function AvatarField({ user }: { readonly user: Me['user'] }) {
  const { t } = useTranslation('accounts');
  const id = useId();
  const toast = useToast();
  const reloadMe = useReloadMe();
  const upload = useUpload();
  const removal = useAction(removeAvatar);
  const remove = async () => {
    upload.forget();
    const answer = await removal.run({});
    if (!answer) return;
    // It is saved; if reading it fails, the next join reads it.
    await reloadMe().catch(() => undefined);
    toast(answer.message, 'success');
  };
  const url = user.avatar_url;
  const shown = upload.preview === null && url !== null
    ? { url: smallAvatar(url), sharp: `${url} 2x` }
    : { url: upload.preview };
  const problem = upload.problem ?? removal.problem;
  const error = upload.fault === null
    ? problem && <Failure problem={problem} />
    : t(`avatar.faults.${upload.fault}`);
  return (
    <div role="group" aria-labelledby={`${id}-title`} className="mb-6 flex flex-col gap-2">
      <h3 id={`${id}-title`} className="text-sm font-medium">{t('avatar.title')}</h3>
      <div className="flex flex-wrap items-center gap-4">
        <span className={upload.preview === null ? '' : 'animate-pulse'}>
          <Avatar name={user.display_name} size={AVATAR_PX} {...shown} />
        </span>
        <FileButton
          accept={IMAGE_TYPES}
          busy={upload.busy}
          onChoose={(files) => void upload.choose(files)}
          describedBy={`${id}-notes`}
          icon={<ImageUp size={20} aria-hidden />}
        >
          {t(url === null ? 'avatar.choose' : 'avatar.change')}
        </FileButton>
        {url === null || upload.busy
          ? null
          : (
            <Button
              tone="quiet"
              busy={removal.busy}
              onClick={() => void remove()}
              icon={<Trash2 size={20} aria-hidden />}
            >
              {t('avatar.remove')}
            </Button>
          )}
        <p role="status" className="text-sm text-muted">{upload.busy ? t('avatar.uploading') : ''}</p>
      </div>
      <div id={`${id}-notes`} className="text-sm">
        {error
          ? <div role="alert" className="text-danger-text">{error}</div>
          : <p className="text-muted">{t('avatar.hint')}</p>}
      </div>
    </div>
  );
}

/** What failed, and what to do about it where that is known. */
function Failure({ problem: { errorType, message } }: { readonly problem: Problem }) {
  const { t } = useTranslation('accounts');
  if (PLAIN.includes(errorType)) return message;
  return (
    <>
      <p>{t('avatar.failed')}</p>
      {message === '' ? null : <p>{message}</p>}
    </>
  );
}

/** Uploads one file at a time: files chosen during an upload are ignored. */
function useUpload() {
  const toast = useToast();
  const reloadMe = useReloadMe();
  const { run, busy, problem, reset } = useAction(uploadAvatar);
  const [fault, setFault] = useState<ReturnType<typeof choiceFault>>(null);
  const [preview, setPreview] = useState<string | null>(null);
  const isRunning = useRef(false);
  const choose = async (files: readonly File[]) => {
    if (isRunning.current) return;
    const wrong = choiceFault(files);
    reset();
    setFault(wrong);
    const [file] = files;
    if (wrong !== null || !file) return;
    isRunning.current = true;
    const shown = URL.createObjectURL(file);
    setPreview(shown);
    const answer = await run({}, { form: formOf(file) });
    if (answer) await reloadMe().catch(() => undefined);
    isRunning.current = false;
    setPreview(null);
    URL.revokeObjectURL(shown);
    if (answer) toast(answer.message, 'success');
  };
  const forget = () => {
    reset();
    setFault(null);
  };
  return { busy, problem, fault, preview, choose, forget };
}

import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { FileButton, formOf } from '#platform/ui/controls/file-button.tsx';
import { Sortable } from '#platform/ui/controls/sortable.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { choiceFault, IMAGE_TYPES } from '#product/accounts/rules/avatar-choice.ts';
import { ArrowDown, ArrowUp, ImageUp, X } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { listPictures, savePictures, uploadPicture } from '../client.ts';
import type { ProfilePictureView } from '../contract/pictures.ts';
import { MAX_CAPTION_LENGTH, MAX_PICTURES } from '../rules/pictures.ts';
import { showPictures } from './live.ts';

type Pictures = readonly ProfilePictureView[];

/** The pictures of a performer's page: added one by one, then ordered, captioned and removed as one list. */
export function PicturesForm() {
  const read = useRead(listPictures, {});
  return <Loaded read={read} height="h-24">{({ pictures }) => <Form saved={pictures} />}</Loaded>;
}

function Form({ saved }: { readonly saved: Pictures }) {
  const [changed, setChanged] = useState<Pictures | null>(null);
  const shown = changed ?? saved;
  return (
    <div className="flex flex-col gap-4">
      <PictureList pictures={shown} onChange={setChanged} />
      <SaveButton pictures={shown} isChanged={changed !== null} onSaved={() => setChanged(null)} />
      <AddButton count={saved.length} isLocked={changed !== null} />
    </div>
  );
}

/** The list with one item at another index. */
function moved(pictures: Pictures, from: number, to: number): Pictures {
  const picture = pictures[from];
  const rest = pictures.filter((_one, at) => at !== from);
  return picture ? [...rest.slice(0, to), picture, ...rest.slice(to)] : pictures;
}

function PictureList({ pictures, onChange }: {
  readonly pictures: Pictures;
  readonly onChange: (pictures: Pictures) => void;
}) {
  const { t } = useTranslation('performers');
  const nameOf = (
    { caption }: ProfilePictureView,
    at: number,
  ) => (caption === '' ? t('pictures.name', { number: at + 1 }) : caption);
  if (pictures.length === 0) return <p className="text-sm text-muted">{t('pictures.empty')}</p>;
  const row = (picture: ProfilePictureView, at: number, handle: ReactNode) => {
    const name = nameOf(picture, at);
    return (
      <div className="flex flex-wrap items-center gap-2 rounded-control border border-line p-2">
        {handle}
        <img src={picture.thumbUrl} alt="" width={64} height={64} className="size-16 rounded-control" />
        <div className="min-w-48 grow">
          <TextField
            label={t('pictures.caption', { number: at + 1 })}
            maxLength={MAX_CAPTION_LENGTH}
            autoComplete="off"
            value={picture.caption}
            onChange={({ currentTarget: { value } }) =>
              onChange(pictures.map((item) => (item.id === picture.id ? { ...item, caption: value } : item)))}
          />
        </div>
        <IconButton
          label={t('pictures.up', { name })}
          disabled={at === 0}
          onClick={() => onChange(moved(pictures, at, at - 1))}
        >
          <ArrowUp size={18} aria-hidden />
        </IconButton>
        <IconButton
          label={t('pictures.down', { name })}
          disabled={at === pictures.length - 1}
          onClick={() => onChange(moved(pictures, at, at + 1))}
        >
          <ArrowDown size={18} aria-hidden />
        </IconButton>
        <IconButton
          label={t('pictures.remove', { name })}
          onClick={() => onChange(pictures.filter(({ id }) => id !== picture.id))}
        >
          <X size={18} aria-hidden />
        </IconButton>
      </div>
    );
  };
  return (
    <Sortable
      label={t('pictures.title')}
      items={pictures}
      keyOf={({ id }) => String(id)}
      nameOf={nameOf}
      onMove={(from, to) => onChange(moved(pictures, from, to))}
    >
      {row}
    </Sortable>
  );
}

function SaveButton({ pictures, isChanged, onSaved }: {
  readonly pictures: Pictures;
  readonly isChanged: boolean;
  readonly onSaved: () => void;
}) {
  const { t } = useTranslation('performers');
  const toast = useToast();
  const { run, busy, problem } = useAction(savePictures, showPictures);
  const save = async () => {
    if (!await run({ pictures: pictures.map(({ id, caption }) => ({ id, caption })) })) return;
    onSaved();
    toast(t('pictures.saved'), 'success');
  };
  if (!isChanged) return null;
  return (
    <div className="flex flex-col gap-2">
      <FormError problem={problem} />
      <div>
        <Button busy={busy} onClick={() => void save()}>{t('pictures.save')}</Button>
      </div>
    </div>
  );
}

function AddButton({ count, isLocked }: { readonly count: number; readonly isLocked: boolean }) {
  const { t } = useTranslation('performers');
  const { run, busy, problem, reset } = useAction(uploadPicture, showPictures);
  const [fault, setFault] = useState<ReturnType<typeof choiceFault>>(null);
  const isRunning = useRef(false);
  const add = async (files: readonly File[]) => {
    if (isRunning.current) return;
    const wrong = choiceFault(files);
    reset();
    setFault(wrong);
    const [file] = files;
    if (wrong !== null || !file) return;
    isRunning.current = true;
    await run({}, { form: formOf(file) });
    isRunning.current = false;
  };
  if (isLocked) return null;
  if (count >= MAX_PICTURES) {
    return <p className="text-sm text-muted">{t('pictures.full', { max: MAX_PICTURES })}</p>;
  }
  return (
    <div className="flex flex-col gap-2">
      {fault === null
        ? null
        : <p role="alert" className="text-sm text-danger-text">{t(`accounts:avatar.faults.${fault}`)}</p>}
      <FormError problem={problem} />
      <div className="flex flex-wrap items-center gap-4">
        <FileButton
          accept={IMAGE_TYPES}
          busy={busy}
          icon={<ImageUp size={20} aria-hidden />}
          onChoose={(files) => void add(files)}
        >
          {t('pictures.add')}
        </FileButton>
        <p role="status" className="text-sm text-muted">{busy ? t('accounts:avatar.uploading') : ''}</p>
      </div>
    </div>
  );
}

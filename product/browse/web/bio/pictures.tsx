import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ReportButton } from '#product/moderation/web/report-button.tsx';
import type { ProfilePictureView } from '#product/performers/contract/pictures.ts';
import { lazy, Suspense, useState } from 'react';

const Gallery = lazy(() => import('#platform/ui/surfaces/gallery.tsx'));

/** A performer's pictures as thumbnails; each opens the gallery at that picture. */
export function BioPictures({ username, name, pictures }: {
  readonly username: string;
  readonly name: string;
  readonly pictures: readonly ProfilePictureView[];
}) {
  const isOwn = useMe()?.user.username === username;
  const { t } = useTranslation('browse');
  const [open, setOpen] = useState<number | null>(null);
  const title = t('bio.picturesOf', { name });
  return (
    <>
      <ul className="grid grid-cols-3 gap-2 sm:grid-cols-4">
        {pictures.map(({ id, thumbUrl, caption }, at) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => setOpen(at)}
              aria-haspopup="dialog"
              className="block w-full overflow-hidden rounded-control"
            >
              <img
                src={thumbUrl}
                width={320}
                height={320}
                loading="lazy"
                alt={caption === '' ? t('bio.picture', { number: at + 1 }) : caption}
                className="aspect-square w-full bg-raised object-cover"
              />
            </button>
          </li>
        ))}
      </ul>
      {open === null ? null : (
        <Suspense>
          <Gallery
            title={title}
            images={pictures}
            start={open}
            onClose={() => setOpen(null)}
            below={(at) => {
              const id = pictures[at]?.id;
              if (isOwn || id === undefined) return null;
              return <ReportButton target={{ kind: 'picture', username, id, name }} />;
            }}
          />
        </Suspense>
      )}
    </>
  );
}

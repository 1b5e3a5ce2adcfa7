import { useCall, useRead } from '#platform/ui/calls/calls.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { HeartHandshake, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { closeAnnouncement, getAnnouncement } from '../client.ts';

/** Shown once, above the first page a performer opens since there are fan clubs. */
export function FanclubAnnouncement() {
  const ready = useTexts('fanclubs');
  const { t } = useTranslation('fanclubs');
  const call = useCall();
  const { data } = useRead(getAnnouncement, {});
  const [isClosed, setClosed] = useState(false);
  const isShown = ready && data?.is_new === true;
  useEffect(() => {
    // Best effort: if this fails, the announcement is shown once more.
    if (isShown) call(closeAnnouncement, {}).catch(() => undefined);
  }, [call, isShown]);
  if (!isShown || isClosed) return null;
  return (
    <section
      aria-label={t('announcement.title')}
      className="flex items-center gap-3 border-b border-line bg-raised px-4 py-2 text-sm"
    >
      <HeartHandshake size={20} aria-hidden className="shrink-0 text-accent" />
      <p className="min-w-0 grow">
        <strong className="font-bold">{t('announcement.title')}</strong>{' '}
        {t('announcement.text', { percent: data.share_percent })}{' '}
        <Link
          to="/account/fanclub"
          className="inline-flex min-h-11 items-center text-link underline"
          onClick={() => setClosed(true)}
        >
          {t('announcement.open')}
        </Link>
      </p>
      <IconButton label={t('announcement.close')} onClick={() => setClosed(true)}>
        <X size={18} aria-hidden />
      </IconButton>
    </section>
  );
}

import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSyncExternalStore } from 'react';

const watch = (notify: () => void) => {
  window.addEventListener('online', notify);
  window.addEventListener('offline', notify);
  return () => {
    window.removeEventListener('online', notify);
    window.removeEventListener('offline', notify);
  };
};

/** Shows that the network is gone, until it is back. */
export function OfflineNotice() {
  const { t } = useTranslation('screens');
  const isOnline = useSyncExternalStore(watch, () => navigator.onLine, () => true);
  return (
    <div role="status">
      {isOnline
        ? null
        : <p className="bg-warning px-4 py-2 text-center text-sm font-medium text-ink">{t('offline')}</p>}
    </div>
  );
}

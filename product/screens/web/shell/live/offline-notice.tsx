import { useSyncExternalStore } from 'react';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';

const watch = (tell: () => void) => {
  window.addEventListener('online', tell);
  window.addEventListener('offline', tell);
  return () => {
    window.removeEventListener('online', tell);
    window.removeEventListener('offline', tell);
  };
};

/** Says that the connection is gone, until it is back. */
export function OfflineNotice() {
  const { t } = useTranslation('screens');
  const isOnline = useSyncExternalStore(watch, () => navigator.onLine, () => true);
  return (
    <div role="status">
      {isOnline ? null : (
        <p className="bg-warning px-4 py-2 text-center text-sm font-medium text-ink">{t('offline')}</p>
      )}
    </div>
  );
}

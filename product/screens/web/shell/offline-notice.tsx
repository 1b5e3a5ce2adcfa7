import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';

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
        <p className="flex items-center justify-center gap-2 bg-warning px-4 py-2 text-sm font-medium text-ink">
          <WifiOff size={16} aria-hidden />{t('offline')}
        </p>
      )}
    </div>
  );
}

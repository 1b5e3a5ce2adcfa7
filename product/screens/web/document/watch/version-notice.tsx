import { Button } from '#platform/ui/controls/button.tsx';
import { saveTyped } from '#platform/ui/faults/typed.ts';
import { CLEAR_OF_FOOT } from '#platform/ui/surfaces/clear-of-foot.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** The site runs another version: offers a reload, which keeps what was typed. */
export function VersionNotice({ onDismiss }: { onDismiss: () => void }) {
  const { t } = useTranslation('screens');
  return (
    <div
      role="status"
      className={`pointer-events-none fixed inset-x-0 bottom-16 z-40 flex justify-center px-4 sm:bottom-6
        ${CLEAR_OF_FOOT}`}
    >
      <div className="pointer-events-auto flex max-w-full flex-wrap items-center gap-3 rounded-card border
        border-line bg-raised px-4 py-2 text-sm shadow-float">
        <p>{t('version.text')}</p>
        <Button
          tone="primary"
          onClick={() => {
            saveTyped();
            window.location.reload();
          }}
        >
          {t('version.reload')}
        </Button>
        <Button tone="quiet" onClick={onDismiss}>{t('version.later')}</Button>
      </div>
    </div>
  );
}

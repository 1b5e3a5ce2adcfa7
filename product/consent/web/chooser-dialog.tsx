import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Chooser } from './chooser.tsx';

/** The purposes, in a dialog over the current page. */
export default function ChooserDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('consent');
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <Chooser chosenIn="banner" onSaved={onClose} />
    </Dialog>
  );
}

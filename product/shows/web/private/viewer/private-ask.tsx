import { Lock } from 'lucide-react';
import { IconButton } from '../../../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import type { PagePartProps } from '../../../../rooms/web/page-part.ts';
import { useAsking } from './asking.tsx';

/** Beside the chat's field on a phone: a private show is one thumb away, where one can be asked for. */
export default function PrivateAsk(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const { isOffered, isUnderWay, bar, open, dialog } = useAsking(props);
  if (!isOffered || isUnderWay || bar !== null) return null;
  return (
    <>
      {/* The narrowest phones have no room for it beside the field; it is among the actions there. */}
      <span className="contents max-[359px]:hidden">
        <IconButton label={t('private.ask')} onClick={open}><Lock size={20} aria-hidden /></IconButton>
      </span>
      {dialog}
    </>
  );
}

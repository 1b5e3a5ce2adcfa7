import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Star } from 'lucide-react';
import { showsPart } from '../../client.ts';
import { RATING_OF } from './live.ts';

/** Beside the performer's name, if there is room. */
export const RatingButton = (props: PagePartProps) => (
  <span className="contents max-sm:hidden">
    <Rated {...props} />
  </span>
);

/** On a phone, in the section about the performer. */
export const RatingAbout = (props: PagePartProps) => (
  <div className="sm:hidden">
    <Rated {...props} />
  </div>
);

/** The performer's rating, and the button to rate them. */
function Rated({ room }: PagePartProps) {
  const { t, i18n } = useTranslation('shows');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const store = useLiveStore();
  const { username, displayName: name } = room.user;
  const { user: { ratings: { user: rating } }, auth: { rateToday } } = readPart(room, showsPart);
  const shown = rating === null
    ? null
    : new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 1 }).format(rating);
  if (room.auth.isStreamer) return null;
  const press = async () => {
    if (!me && !(await askLogin('rate'))) return;
    store.change(RATING_OF, () => ({ username, as: 'dialog' }));
  };
  return (
    <Button
      title={t('rating.rate', { name })}
      onClick={() => void press()}
      icon={<Star size={20} aria-hidden fill={rateToday === 'RATE_NO' ? 'none' : 'currentColor'} />}
    >
      {t(rateToday === 'RATE_NO' ? 'rating.do' : 'rating.done')}{' '}
      {shown === null ? null : (
        <span className="tabular text-sm">
          <span aria-hidden>{shown}</span>
          <span className="sr-only">{t('rating.now', { rating: shown })}</span>
        </span>
      )}
    </Button>
  );
}

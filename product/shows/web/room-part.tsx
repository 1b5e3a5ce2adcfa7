import { Lock, Ticket } from 'lucide-react';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { notEnoughTokens } from '../../ledger/client.ts';
import type { PagePartProps, RoomPagePart } from '../../rooms/web/page-part.ts';
import {
  privateDeclined, privateFailed, privateStarted, sharecamDeclined, spyEnded,
} from '../client.ts';
import { showsReducer } from '../rules.ts';
import { RatingButton } from './rating/rating-button.tsx';
import { Rating, RatingReminder } from './rating/reminder.tsx';

/** Toasts about the shows this viewer asked for or is in; a private show begins with none in its way. */
function ShowEvents({ link: { connection }, onMoneyPrompt }: PagePartProps) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  useEvent(connection, privateStarted, () => toast(null));
  useEvent(connection, privateDeclined, ({ username: name }) => toast(t('declined', { name })));
  useEvent(connection, privateFailed, ({ errorType }) => {
    toast(t('failed'), 'error');
    if (errorType === notEnoughTokens.code) onMoneyPrompt('low_tokens');
  });
  useEvent(connection, spyEnded, () => toast(t('spyEnded'), 'success'));
  useEvent(connection, sharecamDeclined, ({ model_display_name: name }) =>
    toast(t('sharecamDeclined', { name })));
  return null;
}

export const showsOnPage: RoomPagePart = {
  texts: ['shows'],
  reducer: showsReducer,
  covers: {
    private: { Icon: Lock, title: 'shows:cover.private.title', text: 'shows:cover.private.text' },
    limited: { Icon: Ticket, title: 'shows:cover.limited.title', text: 'shows:cover.limited.text' },
  },
  badges: { private: 'shows:badge.private', limited: 'shows:badge.limited' },
  Events: (props) => <><ShowEvents {...props} /><Rating {...props} /></>,
  Bar: RatingButton, Banner: RatingReminder,
};

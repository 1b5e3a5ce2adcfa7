import type { PayloadOf } from '../../../platform/contract/event.ts';
import type { Connection } from '../../../platform/contract/sockets/socket-client.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { privateDeclined, privateFailed, privateStarted, sharecamDeclined, spyEnded } from '../client.ts';

/**
 * Says what became of what this viewer asked for, or was in; a private show begins with nothing in its way.
 * @param onFailed takes the kind and the text of what kept a private show from starting
 */
export function useShowNews(
  connection: Connection | null, onFailed: (failure: PayloadOf<typeof privateFailed>) => void,
): void {
  const { t } = useTranslation('rooms');
  const toast = useToast();
  useEvent(connection, privateStarted, () => toast(null));
  useEvent(connection, privateDeclined, ({ username: name }) => toast(t('show.declined', { name })));
  useEvent(connection, privateFailed, (failure) => {
    toast(t('show.failed'), 'error');
    onFailed(failure);
  });
  useEvent(connection, spyEnded, () => toast(t('show.spyEnded'), 'success'));
  useEvent(connection, sharecamDeclined, ({ model_display_name: name }) =>
    toast(t('show.sharecamDeclined', { name })));
}

import type { Problem } from '#platform/contract/client.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import { read, readPages, routeData, type RouteHandle } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getRoomWords } from '#product/browse/client.ts';
import { getFans, listPosts } from '#product/fanclubs/client.ts';
import Fanclub from '#product/fanclubs/web/fanclub.tsx';
import { useMembershipEvents } from '#product/fanclubs/web/live.ts';
import { UserRoundX } from 'lucide-react';
import { isRouteErrorResponse, useParams, useRouteError } from 'react-router';
import { useOpenPrompt } from '../shell/money-prompts.tsx';
import { fanclubHead } from './fanclub-head.ts';

export const handle: RouteHandle = { head: fanclubHead };
const nameIn = (params: { readonly username?: string }): string => normalizeUsername(params.username ?? '');
const load = routeData({
  texts: ['fanclubs', 'accounts', 'moderation'],
  reads: ({ params }) => [
    read(getFans, { username: nameIn(params), profile: '1' }),
    readPages(listPosts, { username: nameIn(params) }),
  ],
  readsBeforeGate: ({ params }) => [read(getRoomWords, { username: nameIn(params) })],
});
export { load as clientLoader, load as loader };

/** The fan club of a performer: levels, benefits, and the way in. */
export default function FanclubPage() {
  const { t } = useTranslation('fanclubs');
  const username = nameIn(useParams());
  const me = useMe();
  const openPrompt = useOpenPrompt();
  const lobby = useLobby(me !== null);
  useMembershipEvents(lobby);
  const { data } = useRead(getFans, { username, profile: '1' });
  const name = data?.profile?.display_name ?? username;
  return (
    <Wide title={t('title', { name })} lead={t('lead')}>
      <div className="flex flex-col gap-6">
        <Fanclub username={username} connection={lobby} onMoneyPrompt={openPrompt} />
        <div className="flex flex-wrap gap-2">
          <ButtonLink to={`/${username}`} tone="quiet">{t('toRoom', { name })}</ButtonLink>
          {me?.user.username === username
            ? <ButtonLink to="/account/fanclub" tone="quiet">{t('room.settings')}</ButtonLink>
            : null}
        </div>
      </div>
    </Wide>
  );
}

/** No performer of this name, or a room that this viewer may not enter. */
export function ErrorBoundary() {
  const { t } = useTranslation('fanclubs');
  const error = useRouteError();
  if (!isRouteErrorResponse(error) || error.status === 410) throw error;
  const problem = error.data as Problem;
  if (error.status !== 404) {
    return (
      <Wide title={t('missing.title')}>
        <ErrorState
          problem={problem}
          {...(error.status === 403 ? {} : {
            onRetry: () => globalThis.location.reload(),
          })}
        />
      </Wide>
    );
  }
  return (
    <Wide title={t('missing.title')}>
      <EmptyState
        icon={<UserRoundX size={28} aria-hidden />}
        text={t('missing.text')}
        action={<ButtonLink to="/">{t('missing.action')}</ButtonLink>}
      />
    </Wide>
  );
}
